from abc import ABC, abstractmethod
import datetime


class Employee(ABC):
    bonus_factor = 1.02
    headcount = 0

    def __init__(self, first, last, salary, hired=datetime.date(2020, 1, 1)):
        self.first = first
        self.last = last
        self.salary = salary
        self.hired = hired
        Employee.headcount += 1

    @property
    def email(self):
        return '{}.{}@example.org'.format(self.first, self.last).lower()

    @property
    def name(self):
        return '{} {}'.format(self.first, self.last)

    @name.setter
    def name(self, value):
        self.first, self.last = value.split(' ')

    @name.deleter
    def name(self):
        print('forgetting', self.first)
        self.first = None
        self.last = None

    def give_bonus(self):
        self.salary = int(self.salary * self.bonus_factor)

    @classmethod
    def from_csv(cls, line):
        first, last, salary = line.split(',')
        return cls(first, last, int(salary))

    @staticmethod
    def is_holiday(day):
        if day.month == 12 and day.day in (25, 26):
            return True
        return day.weekday() == 6

    @abstractmethod
    def duties(self):
        ...

    def years(self, today):
        return (today - self.hired).days // 365

    def __repr__(self):
        return "{}({!r}, {!r}, {})".format(type(self).__name__, self.first, self.last, self.salary)


class Engineer(Employee):
    bonus_factor = 1.10

    def __init__(self, first, last, salary, tool="a wrench", **kw):
        super().__init__(first, last, salary, **kw)
        self.tool = tool

    def duties(self):
        return "works with " + self.tool


class Director(Employee):
    def __init__(self, first, last, salary, team=None):
        super().__init__(first, last, salary)
        if team is None:
            self.team = []
        else:
            self.team = team

    def hire(self, employee):
        if employee not in self.team:
            self.team.append(employee)

    def duties(self):
        return "directs " + ", ".join(e.name for e in self.team)


ada = Engineer('Ada', 'Stone', 50000, hired=datetime.date(2011, 5, 1))
tom = Engineer.from_csv('Tom,Reed,60000')
sue = Director('Sue', 'Brook', 90000, [ada])
sue.hire(tom)
sue.hire(tom)

ada.give_bonus()
sue.give_bonus()
assert ada.salary == 55000 and sue.salary == 91800
Employee.bonus_factor = 1.05
assert Director.bonus_factor == 1.05 and Engineer.bonus_factor == 1.10
print(repr(tom), tom.email)
tom.name = 'Jane Fox'
assert tom.email == 'jane.fox@example.org'
print(sue.duties())
del tom.name
assert tom.first is None
assert Employee.is_holiday(datetime.date(2022, 12, 26)) is True
assert ada.years(datetime.date(2021, 5, 1)) == 10
try:
    Employee('No', 'One', 1)
except TypeError as e:
    print('TypeError:', e)
assert Employee.headcount == 3
for cls in (Engineer, Director):
    print(cls.__name__, [c.__name__ for c in cls.__mro__])
