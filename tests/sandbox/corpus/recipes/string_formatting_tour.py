"""Every way to format a string."""
import datetime
import string
from decimal import Decimal


class Coordinate:
    def __init__(self, lat, lon):
        self.lat = lat
        self.lon = lon

    def __format__(self, spec):
        if spec == 'dms':
            return '%s, %s' % (self._dms(self.lat, 'NS'), self._dms(self.lon, 'EW'))
        if not spec:
            return str(self)
        return f'({self.lat:{spec}}, {self.lon:{spec}})'

    def __str__(self):
        return '<%g %g>' % (self.lat, self.lon)

    def __repr__(self):
        return f'{self.__class__.__name__}(lat={self.lat!r}, lon={self.lon!r})'

    @staticmethod
    def _dms(value, letters):
        degrees, rest = divmod(abs(value), 1)
        return '{:.0f}°{:02.0f}\'{}'.format(degrees, rest * 60, letters[value < 0])


class Default(dict):
    def __missing__(self, key):
        return '{' + key + '}'


class BangTemplate(string.Template):
    delimiter = '%'
    idpattern = r'[a-z]+\.[a-z]+|[a-z]+'


class SafeFormatter(string.Formatter):
    def get_value(self, key, args, kwargs):
        if isinstance(key, str):
            return kwargs.get(key, f'<{key}?>')
        return args[key] if key < len(args) else '<?>'

    def convert_field(self, value, conversion):
        if conversion == 'u':
            return str(value).upper()
        return super().convert_field(value, conversion)


def percent_style():
    assert '%s is %d years' % ('Ann', 41) == 'Ann is 41 years'
    assert '%(a)05.1f|%(b)-6s|%(b)6s' % {'a': 3.14159, 'b': 'xy'} == '003.1|xy    |    xy'
    assert '%x %X %o %e %+d %% %c %r' % (255, 255, 8, 12345.678, 5, 65, 'q') == "ff FF 10 1.234568e+04 +5 % A 'q'"
    assert '%*.*f' % (8, 2, 2.71828) == '    2.72'
    assert '%s' % (('tuple',),) == "('tuple',)"


def format_method():
    c = Coordinate(37.24, -115.81)
    assert '{0}, {1}, {0}'.format('a', 'b') == 'a, b, a'
    assert '{}-{}'.format(*'xy') == 'x-y'
    assert 'Lat {c.lat:.1f} lon {c.lon:+.0f}'.format(c=c) == 'Lat 37.2 lon -116'
    assert '{0[name]} {0[tags][1]}'.format({'name': 'n', 'tags': ['s', 't']}) == 'n t'
    assert '{:dms}'.format(c) == "37°14'N, 115°49'W"
    assert '{0!r:>40}'.format(c) == '      Coordinate(lat=37.24, lon=-115.81)'
    assert '{:*^30}'.format('centered') == '***********centered***********'
    assert '{:<10}|{:>10}|{:=+8d}'.format('left', 'right', 42) == 'left      |     right|+     42'
    assert 'int: {0:d}; hex: {0:#x}; oct: {0:#o}; bin: {0:#010b}'.format(42) == 'int: 42; hex: 0x2a; oct: 0o52; bin: 0b00101010'
    assert '{:,} {:_} {:_x}'.format(1234567, 1234567, 0xdeadbeef) == '1,234,567 1_234_567 dead_beef'
    assert 'Correct: {:.2%}'.format(19 / 22) == 'Correct: 86.36%'
    assert '{:%Y-%m-%d %H:%M}'.format(datetime.datetime(2010, 7, 4, 12, 15)) == '2010-07-04 12:15'
    assert '{:{fill}{align}{width}}'.format('x', fill='.', align='>', width=4) == '...x'
    assert '{{}} {}'.format(1) == '{} 1'
    assert '{name} {other}'.format_map(Default(name='N')) == 'N {other}'
    for bad in ('{', '{0} {}', '{x}'):
        try:
            bad.format(1)
        except (ValueError, KeyError) as e:
            assert e.args
        else:
            raise AssertionError(bad)


def f_strings():
    c, width, value = Coordinate(1, 2), 10, Decimal('12.34567')
    assert f'{c}' == '<1 2>' and f'{c!r}' == 'Coordinate(lat=1, lon=2)' and f'{c:.1f}' == '(1.0, 2.0)'
    assert f'result: {value:{width}.{4}}' == 'result:      12.35'
    assert f'{width=} {width + 1 = } {value=!s}' == 'width=10 width + 1 = 11 value=12.34567'
    assert f'{"nested " + f"{width:>4}"}' == 'nested   10'
    assert f'{width:#06x} {1e10:g} {1 / 3:.3e} {True:d} {3:c}'[:18] == '0x000a 1e+10 3.333'
    assert f"{'é'!a} {[1, 2]!s:>8} {lambda_(3)}" == "'\\xe9'   [1, 2] 9"
    names = ['a', 'b']
    assert f'{", ".join(names)}{"!" * 2}' == 'a, b!!'
    assert (f'one '
            f'{len(names)} '
            'three') == 'one 2 three'
    assert rf'\d{{{len(names)}}}' == r'\d{2}'


def lambda_(x):
    return x * x


def templates():
    t = string.Template('$who likes ${what}s for $$5')
    assert t.substitute(who='tim', what='kiwi') == 'tim likes kiwis for $5'
    assert t.safe_substitute({'who': 'tim'}) == 'tim likes ${what}s for $5'
    try:
        t.substitute(who='x')
    except KeyError as e:
        assert e.args == ('what',)
    try:
        string.Template('$ 1').substitute()
    except ValueError as e:
        assert 'line 1, col 1' in str(e)
    assert t.get_identifiers() == ['who', 'what'] and t.is_valid()
    assert BangTemplate('%user.name has 5%% of %all').substitute({'user.name': 'Bo', 'all': 9}) == 'Bo has 5% of 9'
    f = SafeFormatter()
    assert f.format('{0} {1} {x} {y!u} {z:>4}', 'a', y='shout', z=1) == 'a <?> <x?> SHOUT    1'
    assert [p[1] for p in f.parse('a{b}c{d.e!r:>3}')] == ['b', 'd.e']
    assert string.capwords('the quick-brown fox') == 'The Quick-brown Fox'
    assert format(3.14159, '.2f') == '3.14' and format('x', '>3') == '  x'
    assert 'abc'.ljust(5, '.') + '7'.zfill(3) == 'abc..007'
    assert 'hello'.translate(str.maketrans('el', 'ip', 'o')) == 'hipp'


for f in (percent_style, format_method, f_strings, templates):
    f()
    print('%-16s passed' % f.__name__)
