"""JSON: encoders for own types, object hooks, and namespaces out of objects."""
import dataclasses
import datetime as dt
import enum
import io
import json
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType, SimpleNamespace


class Level(enum.Enum):
    LOW = 'low'
    HIGH = 'high'


@dataclasses.dataclass
class Reading:
    at: dt.datetime
    value: float
    level: Level = Level.LOW


class Money:
    def __init__(self, amount, currency='EUR'):
        self.amount = Decimal(amount)
        self.currency = currency

    def to_json(self):
        return {'amount': str(self.amount), 'currency': self.currency}

    def __eq__(self, other):
        return type(other) is Money and vars(self) == vars(other)


class Encoder(json.JSONEncoder):
    def default(self, o):
        if dataclasses.is_dataclass(o):
            return {'__type__': type(o).__name__, **{f.name: getattr(o, f.name) for f in dataclasses.fields(o)}}
        if isinstance(o, (dt.datetime, dt.date)):
            return {'__type__': 'datetime', 'iso': o.isoformat()}
        if isinstance(o, enum.Enum):
            return {'__type__': 'Level', 'value': o.value}
        if isinstance(o, complex):
            return {'__type__': 'complex', 're': o.real, 'im': o.imag}
        if isinstance(o, Fraction):
            return {'__type__': 'Fraction', 'text': str(o)}
        if isinstance(o, (set, frozenset)):
            return {'__type__': 'set', 'items': sorted(o)}
        if hasattr(o, 'to_json'):
            return {'__type__': o.__class__.__name__, **o.to_json()}
        return super().default(o)


DECODERS = {
    'Reading': lambda **kw: Reading(**kw),
    'datetime': lambda iso: dt.datetime.fromisoformat(iso),
    'Level': lambda value: Level(value),
    'complex': lambda re, im: complex(re, im),
    'Fraction': lambda text: Fraction(text),
    'set': lambda items: set(items),
    'Money': Money,
}


def hook(d):
    kind = d.pop('__type__', None)
    return DECODERS[kind](**d) if kind else d


def roundtrip(obj):
    return json.loads(json.dumps(obj, cls=Encoder), object_hook=hook)


def reject_duplicates(pairs):
    d = {}
    for k, v in pairs:
        if k in d:
            raise ValueError('duplicate key: %r' % k)
        d[k] = v
    return d


def flatten(obj, prefix=''):
    if isinstance(obj, dict):
        for k, v in obj.items():
            yield from flatten(v, f'{prefix}.{k}' if prefix else k)
    elif isinstance(obj, list):
        for i, v in enumerate(obj):
            yield from flatten(v, f'{prefix}[{i}]')
    else:
        yield prefix, obj


def freeze(obj):
    match obj:
        case dict():
            return MappingProxyType({k: freeze(v) for k, v in obj.items()})
        case list():
            return tuple(freeze(v) for v in obj)
        case _:
            return obj


def main():
    data = {
        'when': dt.datetime(2024, 2, 29, 12, 30),
        'z': 3 - 4j,
        'parts': [Fraction(1, 3), {3, 1, 2}],
        'price': Money('9.90'),
        'reading': Reading(dt.datetime(2000, 1, 1), 1.5, Level.HIGH),
    }
    assert roundtrip(data) == data
    try:
        json.dumps(object(), cls=Encoder)
    except TypeError as e:
        assert str(e) == 'Object of type object is not JSON serializable'
    else:
        raise AssertionError

    assert json.dumps({'b': [1, None, True], 'a': 'é'}, sort_keys=True) == '{"a": "\\u00e9", "b": [1, null, true]}'
    assert json.dumps({1: 'x'}, separators=(',', ':'), ensure_ascii=False) == '{"1":"x"}'
    assert json.dumps([1, {'a': 2}], indent=2) == '[\n  1,\n  {\n    "a": 2\n  }\n]'
    assert json.dumps(Fraction(1, 2), default=str) == '"1/2"'
    assert json.loads('1.10', parse_float=Decimal) == Decimal('1.10')
    try:
        json.loads('{"a": 1, "a": 2}', object_pairs_hook=reject_duplicates)
    except ValueError as e:
        assert str(e) == "duplicate key: 'a'"
    try:
        json.loads('[1, 2,, 3]')
    except json.JSONDecodeError as e:
        assert (e.lineno, e.colno, e.pos) == (1, 7, 6)
    else:
        raise AssertionError

    ns = json.loads('{"user": {"name": "Ann", "langs": ["py", "c"]}}', object_hook=lambda d: SimpleNamespace(**d))
    assert ns.user.name == 'Ann' and ns.user.langs[0] == 'py'
    ns.user.age = 3
    assert repr(ns.user) == "namespace(name='Ann', langs=['py', 'c'], age=3)"
    assert ns == SimpleNamespace(user=SimpleNamespace(**vars(ns.user)))

    assert dict(flatten({'a': {'b': [1, {'c': 2}]}, 'd': None})) == {'a.b[0]': 1, 'a.b[1].c': 2, 'd': None}
    frozen = freeze({'a': [1, {'b': 2}]})
    try:
        frozen['a'] = 1
    except TypeError as e:
        assert 'mappingproxy' in str(e)
    else:
        raise AssertionError
    assert frozen['a'][1]['b'] == 2

    stream = io.StringIO()
    json.dump([1, 2], stream)
    stream.seek(0)
    assert json.load(stream) == [1, 2]
    lines = '\n'.join(json.dumps({'n': n}) for n in range(3))
    assert sum(json.loads(line)['n'] for line in lines.splitlines()) == 3
    decoder = json.JSONDecoder()
    value, end = decoder.raw_decode('{"x": 1} trailing')
    assert value == {'x': 1} and end == 8


if __name__ == '__main__':
    main()
