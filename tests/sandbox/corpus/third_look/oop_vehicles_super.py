class Vehicle:
    wheels = 4
    fleet = []

    def __init__(self, brand, speed=0):
        self.brand = brand
        self.__speed = speed
        Vehicle.fleet.append(self)

    def get_speed(self):
        return self.__speed

    def set_speed(self, value):
        if value < 0:
            raise ValueError("speed can't be negative")
        self.__speed = value

    speed = property(get_speed, set_speed, doc="Current speed.")

    @classmethod
    def count(cls):
        return sum(isinstance(v, cls) for v in Vehicle.fleet)

    @staticmethod
    def kmh(mph):
        return round(mph * 1.609, 1)

    def honk(self):
        return "honk"

    def __str__(self):
        return "{} {} with {} wheels".format(self.__class__.__name__, self.brand, self.wheels)

    def __del__(self):
        pass


class Car(Vehicle):
    def honk(self):
        return super().honk() + " beep"


class Bike(Vehicle):
    wheels = 2

    def __init__(self, *args, gears=21, **kwargs):
        Vehicle.__init__(self, *args, **kwargs)
        self.gears = gears

    def honk(self):
        return "ring"


class Electric:
    def __init__(self, *args, battery=100, **kwargs):
        super().__init__(*args, **kwargs)
        self.battery = battery

    def honk(self):
        return "bzzz, " + super().honk()


class Tesla(Electric, Car):
    pass


class EBike(Electric, Bike):
    pass


t = Tesla("T", 10, battery=80)
e = EBike("B", gears=7)
c = Car("VW")
t.speed += 20
assert t.speed == 30 and t.battery == 80 and t._Vehicle__speed == 30 and e.gears == 7 and e.battery == 100
assert [v.honk() for v in Vehicle.fleet] == ["bzzz, honk beep", "bzzz, ring", "honk beep"]
assert (Vehicle.count(), Car.count(), Bike.count()) == (3, 2, 1)
assert str(e) == "EBike B with 2 wheels" and Vehicle.kmh(60) == 96.5 and Vehicle.speed.__doc__ == "Current speed."
try:
    c.speed = -1
except ValueError as err:
    print("error:", err)
Car.wheels = 3
assert t.wheels == 3 and "wheels" not in t.__dict__ and e.wheels == 2
t.wheels = 6
del Car.wheels
assert (t.wheels, c.wheels) == (6, 4)
assert [k.__name__ for k in type(t).__mro__] == ["Tesla", "Electric", "Car", "Vehicle", "object"]
assert isinstance(t, Electric) and issubclass(EBike, Bike) and not issubclass(Car, Electric) and hasattr(t, "honk")
for v in Vehicle.fleet:
    print(v, end="; ")
print()
c.__dict__["brand"] = "Audi"
assert c.brand == "Audi" and getattr(c, "missing", "dflt") == "dflt" and Car.honk(c) == "honk beep" and callable(c.honk)
