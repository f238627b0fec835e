from abc import ABC, abstractmethod
from functools import partial
import weakref


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
        if self.minsize is not None and len(value) < self.minsize:
            raise ValueError(f'Expected {value!r} to be no smaller than {self.minsize!r}')
        if self.predicate is not None and not self.predicate(value):
            raise ValueError(f'Expected {self.predicate} to be true for {value!r}')


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


class StaticMethod:
    def __init__(self, f):
        self.f = f

    def __get__(self, obj, objtype=None):
        return self.f


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


class Alias:
    def __init__(self, target):
        self.target = target

    def __get__(self, obj, cls):
        return getattr(obj, self.target)

    def __set__(self, obj, value):
        setattr(obj, self.target, value)


class WeakField:
    """Keeps values outside of the instance."""

    def __init__(self, default=None):
        self.values = weakref.WeakKeyDictionary()
        self.default = default

    def __get__(self, obj, cls):
        return self.values.get(obj, self.default)

    def __set__(self, obj, value):
        self.values[obj] = value


class Thing:
    note = WeakField('none')
    size = Alias('_size')

    def __init__(self, size):
        self._size = size

    @Property
    def double(self):
        "Twice the size."
        return self._size * 2

    @double.setter
    def double(self, value):
        self._size = value // 2

    @Property
    def fixed(self):
        return 1

    @StaticMethod
    def helper(x):
        return x + 1

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
assert t.size == 10 == t._size
t.size = 3
try:
    t.fixed = 2
except AttributeError as e:
    assert str(e) == "property 'fixed' has no setter"
else:
    raise AssertionError
assert t.helper(1) == Thing.helper(1) == 2
assert t.expensive == t.expensive == 3 ** 10 and Thing.calls == 1
u = Thing(1)
t.note = 'mine'
assert (t.note, u.note) == ('mine', 'none') and 'note' not in t.__dict__
del t
assert len(Thing.__dict__['note'].values) <= 1
