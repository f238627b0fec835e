"""Class machinery: __init_subclass__, __class_getitem__, metaclasses, __set_name__, __prepare__."""
from collections import defaultdict


class Plugin:
    _registry = {}

    def __init_subclass__(cls, /, name=None, abstract=False, **kwargs):
        super().__init_subclass__(**kwargs)
        if not abstract:
            cls.plugin_name = name or cls.__name__.lower()
            if cls.plugin_name in Plugin._registry:
                raise TypeError(f'duplicate plugin {cls.plugin_name!r}')
            Plugin._registry[cls.plugin_name] = cls

    @classmethod
    def create(cls, name, *args):
        return cls._registry[name](*args)


class Shouter(Plugin):
    def run(self, text):
        return text.upper() + '!'


class Base(Plugin, abstract=True):
    def __init__(self, n=1):
        self.n = n


class Repeater(Base, name='rep'):
    def run(self, text):
        return text * self.n


class RegistryMeta(type):
    registry = defaultdict(list)

    def __new__(mcls, name, bases, namespace, **kwargs):
        cls = super().__new__(mcls, name, bases, namespace)
        for base in bases:
            mcls.registry[base.__name__].append(name)
        return cls

    def __iter__(cls):
        return iter(cls.registry[cls.__name__])

    def __len__(cls):
        return len(cls.registry[cls.__name__])

    def __contains__(cls, name):
        return name in cls.registry[cls.__name__]

    def __repr__(cls):
        return f'<class {cls.__name__}>'


class Animal(metaclass=RegistryMeta):
    pass


class Dog(Animal): pass
class Cat(Animal): pass
class Puppy(Dog): pass


class SingletonMeta(type):
    _instances = {}

    def __call__(cls, *args, **kwargs):
        if cls not in cls._instances:
            cls._instances[cls] = super().__call__(*args, **kwargs)
        return cls._instances[cls]


class Config(metaclass=SingletonMeta):
    def __init__(self, **values):
        self.__dict__.update(values)


class Borg:
    __shared = {}

    def __init__(self):
        self.__dict__ = self.__shared


class Field:
    def __init__(self, kind):
        self.kind = kind

    def __set_name__(self, owner, name):
        self.name = name


class ModelMeta(type):
    @classmethod
    def __prepare__(mcls, name, bases):
        return {'fields_seen': []}

    def __new__(mcls, name, bases, ns):
        fields = {}
        for base in bases:
            fields |= getattr(base, 'fields', {})
        fields |= {k: v for k, v in ns.items() if isinstance(v, Field)}
        ns['fields'] = fields
        return super().__new__(mcls, name, bases, ns)

    def __init__(cls, name, bases, ns):
        super().__init__(name, bases, ns)
        cls.table = name.lower() + 's'


class Model(metaclass=ModelMeta):
    def __init__(self, **kw):
        for name, field in self.fields.items():
            setattr(self, name, field.kind(kw.pop(name)))
        if kw:
            raise TypeError('unexpected: ' + ', '.join(kw))

    def __repr__(self):
        return '{}({})'.format(type(self).__name__, ', '.join('%s=%r' % kv for kv in vars(self).items()))


class User(Model):
    id = Field(int)
    name = Field(str)


class Admin(User):
    level = Field(float)


class TypedList:
    """TypedList[int] makes a class that only takes integers."""
    kind = object
    _cache = {}

    def __class_getitem__(cls, kind):
        if kind not in cls._cache:
            cls._cache[kind] = type(f'{cls.__name__}Of{kind.__name__.title()}', (cls,), {'kind': kind})
        return cls._cache[kind]

    def __init__(self, *items):
        for item in items:
            if not isinstance(item, self.kind):
                raise TypeError(f'{item!r} is not {self.kind.__name__}')
        self.items = list(items)


class FinalMeta(type):
    def __new__(mcls, name, bases, ns):
        for b in bases:
            if isinstance(b, FinalMeta):
                raise TypeError(f'{b.__name__} is final')
        return super().__new__(mcls, name, bases, dict(ns))


def expect(error, func, *args):
    try:
        func(*args)
    except error as e:
        return str(e)
    raise AssertionError('no %s' % error.__name__)


def main():
    assert sorted(Plugin._registry) == ['rep', 'shouter']
    assert Plugin.create('shouter').run('hi') == 'HI!' and Plugin.create('rep', 3).run('ab') == 'ababab'
    assert Repeater.plugin_name == 'rep' and not hasattr(Base, 'plugin_name')
    assert expect(TypeError, lambda: type('Shouter', (Plugin,), {})) == "duplicate plugin 'shouter'"
    assert list(Animal) == ['Dog', 'Cat'] and len(Dog) == 1 and 'Puppy' in Dog and repr(Cat) == '<class Cat>'
    assert type(Animal) is RegistryMeta and isinstance(Dog, RegistryMeta)
    assert Animal.__subclasses__() == [Dog, Cat] and Puppy.__mro__[1] is Dog and Puppy.__base__ is Dog
    assert Config(a=1) is Config(a=2) and Config().a == 1
    b1, b2 = Borg(), Borg()
    b1.mood = 'resisting'
    assert b2.mood == 'resisting' and b1 is not b2
    a = Admin(id='7', name='Ann', level='2')
    assert repr(a) == "Admin(id=7, name='Ann', level=2.0)" and (User.table, Admin.table) == ('users', 'admins')
    assert list(Admin.fields) == ['id', 'name', 'level'] and User.fields['id'].name == 'id'
    assert 'unexpected: x' == expect(TypeError, lambda: User(id=1, name='', x=2))
    assert TypedList[int] is TypedList[int] and TypedList[str].__name__ == 'TypedListOfStr'
    assert TypedList[int](1, 2).items == [1, 2] and expect(TypeError, TypedList[int], 'x') == "'x' is not int"
    Sealed = FinalMeta('Sealed', (), {'x': 1})
    assert Sealed.x == 1 and expect(TypeError, FinalMeta, 'Sub', (Sealed,), {}) == 'Sealed is final'
    Point = type('Point', (), {'__init__': lambda self, *xs: setattr(self, 'xs', xs), 'dim': property(lambda s: len(s.xs))})
    assert Point(1, 2, 3).dim == 3


if __name__ == '__main__':
    main()
