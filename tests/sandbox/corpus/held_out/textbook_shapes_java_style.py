#
# Shape hierarchy - ported from my Java class
#
import math


class Shape:
    def __init__(self, color="white", filled=False):
        self.__color = color
        self.__filled = filled

    def getColor(self):
        return self.__color

    def setColor(self, color):
        self.__color = color

    def isFilled(self):
        return self.__filled

    def getArea(self):
        raise NotImplementedError("Subclass must implement getArea()")

    def getPerimeter(self):
        raise NotImplementedError()

    def compareTo(self, other):
        if self.getArea() < other.getArea():
            return -1
        elif self.getArea() > other.getArea():
            return 1
        else:
            return 0

    def toString(self):
        return "Shape[color=" + self.__color + ", filled=" + str(self.__filled) + "]"

    def __str__(self):
        return self.toString()

    def equals(self, other):
        return isinstance(other, Shape) and self.compareTo(other) == 0


class Circle(Shape):
    def __init__(self, radius, color="white", filled=False):
        Shape.__init__(self, color, filled)
        self.__radius = radius

    def getRadius(self):
        return self.__radius

    def getArea(self):
        return math.pi * self.__radius ** 2

    def getPerimeter(self):
        return 2 * math.pi * self.__radius

    def toString(self):
        return "Circle[" + Shape.toString(self) + ", radius=" + str(self.__radius) + "]"


class Rectangle(Shape):
    def __init__(self, width, length, color="white", filled=False):
        super().__init__(color, filled)
        self._width = width
        self._length = length

    def getArea(self):
        return self._width * self._length

    def getPerimeter(self):
        return 2 * (self._width + self._length)


class Square(Rectangle):
    def __init__(self, side, *args, **kwargs):
        super(Square, self).__init__(side, side, *args, **kwargs)

    def setSide(self, side):
        self._width = side
        self._length = side


def main():
    shapes = []
    shapes.append(Circle(1.5, "red", True))
    shapes.append(Rectangle(2, 3.5))
    shapes.append(Square(3, filled=True))
    i = 0
    total = 0.0
    while i < len(shapes):
        s = shapes[i]
        print(str(i) + ": " + s.toString() + " area=" + str(round(s.getArea(), 2)))
        total += s.getArea()
        i += 1
    assert abs(total - 23.0685834) < 1e-6
    # bubble sort by area
    n = len(shapes)
    for i in range(0, n - 1):
        for j in range(0, n - i - 1):
            if shapes[j].compareTo(shapes[j + 1]) > 0:
                temp = shapes[j]
                shapes[j] = shapes[j + 1]
                shapes[j + 1] = temp
    assert [s.getArea() for s in shapes][:2] == [7.0, shapes[1].getArea()]
    shapes[2].setSide(1) if isinstance(shapes[2], Square) else None
    assert shapes[2].getPerimeter() == 4
    assert shapes[0].equals(Rectangle(7, 1))
    try:
        Shape().getArea()
    except NotImplementedError as e:
        print(e)
    return 0


if __name__ == '__main__':
    main()
