from abc import ABC, abstractmethod
from functools import partial


class LoggedAccess:
    log = []

    def __set_name__(self, owner, name):
        self.public_name = name
        self.private_name = '_' + name

    def __get__(self, obj, objtype=None):
        value = getattr(obj, self.private_name)
        self.log.append(('get', self.public_name, value))
        return value

    def __set__(self, obj, value):
        self.log.append(('set', self.public_name, value))
        setattr(obj, self.private_name, value)


class Validator(ABC):
    def __set_name__(self, owner, name):
        self.private_name = '_' + name

    def __get__(self, obj, objtype=None):
        if obj is None:
            return self
        return getattr(obj, self.private_name)

    def __set__(self, obj, value):
        self.validate(value)
        setattr(obj, self.private_name, value)

    @abstractmethod
    def validate(self, value):
        pass


class OneOf(Validator):
    def __init__(self, *options):
        self.options = set(options)

    def validate(self, value):
        if value not in self.options:
            raise ValueError(f'Expected {value!r} to be one of {sorted(self.options)!r}')


class Number(Validator):
    def __init__(self, minvalue=None, maxvalue=None):
        self.minvalue = minvalue
        self.maxvalue = maxvalue

    def validate(self, value):
        if not isinstance(value, (int, float)):
            raise TypeError(f'Expected {value!r} to be an int or float')
        if self.minvalue is not None and value < self.minvalue:
            raise ValueError(f'Expected {value!r} to be at least {self.minvalue!r}')
        if self.maxvalue is not None and value > self.maxvalue:
            raise ValueError(f'Expected {value!r} to be no more than {self.maxvalue!r}')


class String(Validator):
    def __init__(self, minsize=None, predicate=None):
        self.minsize, self.predicate = minsize, predicate

    def validate(self, value):
        if not isinstance(value, str):
            raise TypeError(f'Expected {value!r} to be an str')
        if len(value) < (self.minsize or 0) or self.predicate and not self.predicate(value):
            raise ValueError(f'Expected something else than {value!r}')


class Component:
    name = String(minsize=3, predicate=str.isupper)
    kind = OneOf('wood', 'metal', 'plastic')
    quantity = Number(minvalue=0)

    def __init__(self, name, kind, quantity):
        self.name = name
        self.kind = kind
        self.quantity = quantity


class Person:
    age = LoggedAccess()

    def __init__(self, age):
        self.age = age

    def birthday(self):
        self.age += 1


# Pure Python equivalents
class Property:
    def __init__(self, fget=None, fset=None, fdel=None, doc=None):
        self.fget, self.fset, self.fdel = fget, fset, fdel
        self.__doc__ = doc if doc is not None or fget is None else fget.__doc__
        self._name = ''

    def __set_name__(self, owner, name):
        self._name = name

    def __get__(self, obj, objtype=None):
        if obj is None:
            return self
        if self.fget is None:
            raise AttributeError(f'property {self._name!r} has no getter')
        return self.fget(obj)

    def __set__(self, obj, value):
        if self.fset is None:
            raise AttributeError(f'property {self._name!r} has no setter')
        self.fset(obj, value)

    def setter(self, fset):
        prop = type(self)(self.fget, fset, self.fdel, self.__doc__)
        prop._name = self._name
        return prop


class ClassMethod:
    def __init__(self, f):
        self.f = f

    def __get__(self, obj, cls=None):
        return partial(self.f, type(obj) if cls is None else cls)


class Lazy:
    """Non-data descriptor: computed once, then found in the instance."""

    def __init__(self, func):
        self.func = func
        self.name = func.__name__

    def __get__(self, obj, cls):
        if obj is None:
            return self
        value = obj.__dict__[self.name] = self.func(obj)
        return value


class Thing:

    def __init__(self, size):
        self._size = size

    @Property
    def double(self):
        "Twice the size."
        return self._size * 2

    @double.setter
    def double(self, value):
        self._size = value // 2

    fixed = Property(lambda self: 1)

    @ClassMethod
    def make(cls, n):
        return cls(n)

    @Lazy
    def expensive(self):
        Thing.calls = getattr(Thing, 'calls', 0) + 1
        return self._size ** 10


p = Person(30)
p.birthday()
assert p.age == 31 and vars(p) == {'_age': 31}
assert LoggedAccess.log == [('set', 'age', 30), ('get', 'age', 30), ('set', 'age', 31), ('get', 'age', 31)]
assert vars(Person)['age'].public_name == 'age'
c = Component('WIDGET', 'metal', 5)
for args, error in [(('Widget', 'metal', 5), ValueError), (('WIDGET', 'metle', 5), ValueError),
                    (('WIDGET', 'metal', -5), ValueError), (('WIDGET', 'metal', 'V'), TypeError),
                    (('AB', 'wood', 1), ValueError), ((7, 'wood', 1), TypeError)]:
    try:
        Component(*args)
    except error as e:
        assert str(e).startswith('Expected')
    else:
        raise AssertionError(args)
assert isinstance(Component.kind, OneOf) and c.quantity == 5

t = Thing.make(4)
assert t.double == 8 and Thing.double.__doc__ == 'Twice the size.'
t.double = 20
assert t._size == 10
t._size = 3
try:
    t.fixed = 2
except AttributeError as e:
    assert str(e) == "property 'fixed' has no setter"
else:
    raise AssertionError
assert Thing.make(3).make(5)._size == 5
assert t.expensive == t.expensive == 3 ** 10 and Thing.calls == 1
