"""Named tuples: subclasses with methods, defaults, _make, _replace, _asdict."""
import csv
import io
import math
from collections import namedtuple


class Point(namedtuple('Point', ['x', 'y'])):
    __slots__ = ()

    @property
    def hypot(self):
        return (self.x ** 2 + self.y ** 2) ** 0.5

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    def __neg__(self):
        return self._replace(x=-self.x, y=-self.y)

    def __str__(self):
        return 'Point: x=%6.3f  y=%6.3f  hypot=%6.3f' % (self.x, self.y, self.hypot)

    @classmethod
    def polar(cls, r, theta):
        return cls(r * math.cos(theta), r * math.sin(theta))


Point3D = namedtuple('Point3D', Point._fields + ('z',))
Account = namedtuple('Account', ['type', 'balance'], defaults=[0])
Account.__doc__ += ': a bank account'
Account.balance.__doc__ = 'Amount of money'

EmployeeRecord = namedtuple('EmployeeRecord', 'name, age, title, department, paygrade')

ROWS = """\
Ann,41,Engineer,R&D,7
Bob,29,Clerk,Sales,3
Cy,53,Manager,Sales,9
"""


class Card(namedtuple('Card', 'rank suit')):
    __slots__ = ()
    RANKS = '23456789TJQKA'
    SUITS = 'cdhs'

    def __new__(cls, text):
        rank, suit = text
        if rank not in cls.RANKS or suit not in cls.SUITS:
            raise ValueError('no such card: {!r}'.format(text))
        return super().__new__(cls, rank, suit)

    @property
    def value(self):
        return self.RANKS.index(self.rank)

    def __lt__(self, other):
        return (self.value, self.suit) < (other.value, other.suit)

    def __repr__(self):
        return '{0.__class__.__name__}({0.rank}{0.suit})'.format(self)


def main():
    p = Point(3, 4)
    assert p == (3, 4) and p.hypot == 5.0
    assert str(p) == 'Point: x= 3.000  y= 4.000  hypot= 5.000'
    assert p + Point(1, 1) == Point(x=4, y=5)
    assert -p == Point(-3, -4)
    x, y = p
    assert p[0] + p[1] == x + y == 7
    assert p._asdict() == {'x': 3, 'y': 4}
    assert getattr(p, 'x') == 3
    q = Point.polar(2, math.pi / 2)
    assert math.isclose(q.y, 2) and abs(q.x) < 1e-9

    assert Point3D(1, 2, 3)._fields == ('x', 'y', 'z')
    assert Point3D(**{'x': 1, 'y': 2, 'z': 3}) == Point3D._make([1, 2, 3])
    assert Account('premium') == ('premium', 0)
    assert Account._field_defaults == {'balance': 0}
    assert Account.__doc__.endswith('a bank account')
    template = Account(type=None, balance=100)
    assert template._replace(type='savings').type == 'savings'

    try:
        p.x = 9
    except AttributeError:
        pass
    else:
        raise AssertionError('tuples do not change')

    people = [EmployeeRecord._make(row) for row in csv.reader(io.StringIO(ROWS))]
    people = [e._replace(age=int(e.age), paygrade=int(e.paygrade)) for e in people]
    assert max(people, key=lambda e: e.paygrade).name == 'Cy'
    assert [e.name for e in people if e.department == 'Sales'] == ['Bob', 'Cy']
    for e in people:
        print('{e.name:<5}|{e.age:>4}|{e.title:^12}|'.format(e=e))

    hand = [Card(t) for t in 'Th 2c Ad Ts 9h'.split()]
    assert sorted(hand)[-1] == Card('Ad')
    assert repr(sorted(hand)[0]) == 'Card(2c)'
    assert len({Card('Ad'), Card('Ad')}) == 1
    try:
        Card('1z')
    except ValueError as e:
        assert str(e) == "no such card: '1z'"

    Renamed = namedtuple('Renamed', ['abc', 'def', 'ghi', 'abc'], rename=True)
    assert Renamed._fields == ('abc', '_1', 'ghi', '_3')
    assert Renamed(1, 2, 3, 4)._1 == 2
    match p:
        case Point(x=0):
            where = 'on the axis'
        case Point(x, y) if x < y:
            where = f'above at {x}, {y}'
        case _:
            where = 'elsewhere'
    assert where == 'above at 3, 4'


if __name__ == '__main__':
    main()
