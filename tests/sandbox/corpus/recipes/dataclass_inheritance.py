"""Dataclasses in a hierarchy: shapes, employees, and a small serialization mixin."""
import math
from abc import ABC, abstractmethod
from dataclasses import MISSING, asdict, dataclass, field, fields
from typing import Any, ClassVar


class Serializable:
    registry: ClassVar[dict] = {}

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        Serializable.registry[cls.__name__] = cls

    def to_dict(self) -> dict[str, Any]:
        return {'type': self.__class__.__name__, **asdict(self)}

    @staticmethod
    def from_dict(data):
        data = dict(data)
        cls = Serializable.registry[data.pop('type')]
        known = {f.name for f in fields(cls) if f.init}
        unknown = data.keys() - known
        if unknown:
            raise TypeError('unknown fields: ' + ', '.join(sorted(unknown)))
        return cls(**data)


@dataclass
class Shape(Serializable, ABC):
    name: str = field(default='shape', kw_only=True)

    @property
    @abstractmethod
    def area(self) -> float: ...

    def __lt__(self, other):
        return self.area < other.area


@dataclass
class Circle(Shape):
    radius: float

    @property
    def area(self):
        return math.pi * self.radius ** 2


@dataclass
class Rect(Shape):
    w: float
    h: float

    @property
    def area(self):
        return self.w * self.h


@dataclass
class Square(Rect):
    h: float = field(init=False)

    def __post_init__(self):
        self.h = self.w


@dataclass
class Person:
    name: str
    age: int = 0

    def __post_init__(self):
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(f.type, type) and not isinstance(value, f.type):
                raise TypeError(f'{f.name} should be {f.type.__name__}, not {value!r}')


@dataclass
class Employee(Person):
    salary: float = 0.0
    skills: set = field(default_factory=set)
    age: int = 18

    def __post_init__(self):
        super().__post_init__()
        self.skills = set(map(str.lower, self.skills))

    def raise_by(self, percent):
        self.salary = round(self.salary * (1 + percent / 100), 2)
        return self


@dataclass(eq=False)
class Manager(Employee):
    reports: list = field(default_factory=list, metadata={'plural': True, 'of': Employee})

    def __iadd__(self, person):
        self.reports.append(person)
        return self

    def __len__(self):
        return len(self.reports)

    def __bool__(self):
        return True


shapes = [Circle(1.0), Rect(2, 3, name='door'), Square(1.5)]
assert [type(s).__name__ for s in sorted(shapes)] == ['Square', 'Circle', 'Rect']
assert repr(shapes[2]) == "Square(name='shape', w=1.5, h=1.5)"
assert shapes[1].to_dict() == {'type': 'Rect', 'name': 'door', 'w': 2, 'h': 3}
assert Serializable.from_dict(shapes[1].to_dict()) == shapes[1]
assert Serializable.from_dict({'type': 'Square', 'w': 4}).area == 16
assert Rect(1, 1) != Square(1)
try:
    Serializable.from_dict({'type': 'Circle', 'radius': 1, 'colour': 'red', 'alpha': 1})
except TypeError as e:
    assert str(e) == 'unknown fields: alpha, colour'
try:
    Shape()
except TypeError as e:
    assert 'abstract' in str(e)
else:
    assert 0, 'Shape is abstract'

emp = Employee('Bob', 30, 1000.0, {'Python', 'SQL'})
assert emp.skills == {'python', 'sql'}
assert emp.raise_by(10).salary == 1100.0
assert [f.name for f in fields(Employee)] == ['name', 'age', 'salary', 'skills']
assert Employee('X').age == 18 and Person('X').age == 0
try:
    Employee('Eve', age='old')
except TypeError as e:
    assert str(e) == "age should be int, not 'old'"
else:
    raise AssertionError
boss = Manager('Ann', 50)
boss += emp
boss += Employee('Cy')
assert len(boss) == 2 and boss and Manager('Zed')
assert boss == boss and Manager.__hash__ is None
reports = next(f for f in fields(Manager) if f.name == 'reports')
assert reports.metadata['of'] is Employee and reports.default is MISSING
assert asdict(boss)['reports'][1]['name'] == 'Cy'
print(boss)
