"""Validation two ways: from annotations of a class, and with a fluent schema builder."""
import re
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints
from types import UnionType

class ValidationError(ValueError):
    def __init__(self, errors):
        self.errors = dict(errors)
        super().__init__('; '.join(f'{k or "value"}: {v}' for k, v in self.errors.items()))

class Check:
    def __init__(self, test, message):
        self.test, self.message = test, message
    def __call__(self, value):
        if not self.test(value):
            raise ValueError(self.message.format(value=value))
        return value

    def __and__(self, other):
        return Check(lambda v: self.test(v) and other.test(v), f'{self.message} and {other.message}')

    def __invert__(self):
        return Check(lambda v: not self.test(v), 'not: ' + self.message)

Min = lambda n: Check(lambda v: v >= n, f'{{value!r}} is less than {n}')
MaxLen = lambda n: Check(lambda v: len(v) <= n, f'longer than {n}')
Pattern = lambda p: Check(re.compile(p).fullmatch, '{value!r} does not match ' + p.replace('{', '{{').replace('}', '}}'))

def convert(hint, value, path):
    """Yield errors; the return value is the converted value."""
    origin, args = get_origin(hint), get_args(hint)
    if hint is Any:
        return value
    if origin is Annotated:
        base, *checks = args
        before = value
        value = yield from convert(base, value, path)
        for check in checks if value is not None or before is None else ():
            try:
                value = check(value)
            except ValueError as e:
                yield path, str(e)
        return value
    if origin in (Union, UnionType):
        for option in args:
            errors = []
            result = run(convert(option, value, path), errors)
            if not errors:
                return result
        yield path, f'{value!r} is none of ' + ', '.join(getattr(a, '__name__', str(a)) for a in args)
        return None
    if origin is Literal:
        if value not in args:
            yield path, f'{value!r} is not one of {args}'
        return value
    if origin in (list, set, tuple):
        if not isinstance(value, (list, tuple, set)):
            yield path, f'expected a list, not {type(value).__name__}'
            return None
        out = []
        for i, item in enumerate(value):
            out.append((yield from convert(args[0], item, f'{path}[{i}]')))
        return origin(out)
    if origin is dict:
        out = {}
        for k, v in value.items():
            key = yield from convert(args[0], k, f'{path}.{k}')
            out[key] = yield from convert(args[1], v, f'{path}.{k}')
        return out
    if isinstance(hint, type) and issubclass(hint, Schema):
        if isinstance(value, dict):
            try:
                return hint(**value)
            except ValidationError as e:
                for k, message in e.errors.items():
                    yield f'{path}.{k}', message
        elif not isinstance(value, hint):
            yield path, f'expected {hint.__name__}'
        return value
    if hint in (int, float) and isinstance(value, str):
        try:
            return hint(value)
        except ValueError:
            pass
    if isinstance(value, hint) and not (hint is int and value is True or value is False and hint is int):
        return value
    yield path, f'expected {hint.__name__}, not {type(value).__name__}'

def run(gen, errors):
    while True:
        try:
            errors.append(next(gen))
        except StopIteration as stop:
            return stop.value

class Schema:
    def __init__(self, **data):
        errors = []
        for name, hint in get_type_hints(type(self), include_extras=True).items():
            if name in data:
                setattr(self, name, run(convert(hint, data.pop(name), name), errors))
            elif hasattr(type(self), name):
                setattr(self, name, getattr(type(self), name))
            else:
                errors.append((name, 'is required'))
        errors += [(name, 'is unknown') for name in data]
        if not errors and hasattr(self, 'validate'):
            try:
                self.validate()
            except ValueError as e:
                errors.append(('', str(e)))
        if errors:
            raise ValidationError(errors)

    def dict(self):
        return {k: v.dict() if isinstance(v, Schema) else v for k, v in vars(self).items()}

class Address(Schema):
    street: Annotated[str, MaxLen(20)]
    zip: Annotated[str, Pattern(r'\d{5}')]

class User(Schema):
    name: Annotated[str, str.strip, ~MaxLen(1) & MaxLen(10)]
    age: Annotated[int, Min(0)]
    role: Literal['admin', 'user'] = 'user'
    tags: list[str] = []
    address: Address | None = None
    scores: dict[str, float] = {}

    def validate(self):
        if self.role == 'admin' and self.age < 18:
            raise ValueError('admins must be adults')

class Field:
    """A fluent builder: Field('age').int().between(0, 150).optional()"""

    def __init__(self, name):
        self._name, self._steps, self._required = name, [], True

    def _add(self, step):
        self._steps.append(step)
        return self

    def int(self): return self._add(int)

    def between(self, lo, hi):
        return self._add(Check(lambda v: lo <= v <= hi, f'not between {lo} and {hi}'))

    def matches(self, pattern):
        return self._add(Pattern(pattern))

    def optional(self, default=None):
        self._required, self._default = False, default
        return self

    def __call__(self, data):
        if self._name not in data:
            if not self._required:
                return self._default
            raise KeyError(self._name)
        value = data[self._name]
        for step in self._steps:
            value = step(value)
        return value

def test_annotations():
    u = User(name='  Ann ', age='41', address={'street': 'Main', 'zip': '12345'}, scores={'go': 1.5}, tags=('a', 'b'))
    assert u.dict() == {'name': 'Ann', 'age': 41, 'role': 'user', 'tags': ['a', 'b'], 'scores': {'go': 1.5},
                        'address': {'street': 'Main', 'zip': '12345'}}
    try:
        User(name='x', age=-1, role='king', tags=['ok', 3], address={'street': 's' * 21}, shoe=44)
    except ValidationError as e:
        assert e.errors == {
            'name': 'not: longer than 1 and longer than 10', 'age': '-1 is less than 0',
            'role': "'king' is not one of ('admin', 'user')", 'tags[1]': 'expected str, not int',
            'address': "{'street': '" + 's' * 21 + "'} is none of Address, NoneType", 'shoe': 'is unknown'}, e.errors
    else:
        raise AssertionError
    for bad, message in ((dict(name='Bob', age=9, role='admin'), 'value: admins must be adults'),
                         (dict(age=True, name='Bob'), 'age: expected int, not bool'), ({'age': 1}, 'name: is required')):
        try:
            User(**bad)
        except ValidationError as e:
            assert str(e) == message, e

def test_fluent():
    age = Field('age').int().between(0, 150).optional(18)
    assert age({'age': '42'}) == 42 and age({}) == 18
    code = Field('code').matches('[A-Z]{2}-[0-9]+')
    assert code({'code': 'AB-12'}) == 'AB-12'
    for field, data, error in ((age, {'age': 200}, ValueError), (code, {'code': 'x'}, ValueError), (code, {}, KeyError)):
        try:
            field(data)
        except error as e:
            print(repr(e))
        else:
            raise AssertionError(data)

test_annotations()
test_fluent()
