from itertools import zip_longest
from textwrap import wrap
import unicodedata


class Table(object):
    """A pretty printed table.

    t = Table('name', 'price', align='lr')
    t.add('apple', 3.5)
    print t    # in the old days
    """
    STYLES = {
        'ascii': ('+', '-', '|'),
        'double': (u'\u256c', u'\u2550', u'\u2551'),
        'plain': ('', '', ' '),
    }

    def __init__(self, *columns, **options):
        self.columns = list(columns)
        self.align = options.pop('align', 'l' * len(columns))
        self.style = options.pop('style', 'ascii')
        self.max_width = options.pop('max_width', 20)
        if options:
            raise TypeError('unknown options: %s' % ', '.join(sorted(options)))
        self.rows = []

    def add(self, *values):
        if len(values) != len(self.columns):
            raise ValueError('%d values for %d columns' % (len(values), len(self.columns)))
        self.rows.append([self._cell(v) for v in values])
        return self

    @staticmethod
    def _cell(v):
        if v is None:
            return u''
        if isinstance(v, bool):
            return 'yes' if v else 'no'
        if isinstance(v, float):
            return '%.2f' % v
        return str(v)

    @staticmethod
    def _width(s):
        return sum(2 if unicodedata.east_asian_width(c) in 'WF' else 1 for c in s)

    def _pad(self, s, width, how):
        space = width - self._width(s)
        if how == 'r':
            return ' ' * space + s
        if how == 'c':
            left = space // 2
            return ' ' * left + s + ' ' * (space - left)
        return s + ' ' * space

    def lines(self):
        corner, dash, bar = self.STYLES[self.style]
        wrapped = [[wrap(c, self.max_width) or [''] for c in row] for row in [self.columns] + self.rows]
        widths = [max(self._width(l) for cell in col for l in cell) for col in zip(*wrapped)]
        rule = corner + corner.join(dash * (w + 2) for w in widths) + corner
        if rule:
            yield rule
        for n, row in enumerate(wrapped):
            for parts in zip_longest(*row, fillvalue=''):
                cells = (self._pad(p, w, 'c' if n == 0 else a) for p, w, a in zip(parts, widths, self.align))
                yield bar + bar.join(' %s ' % c for c in cells) + bar
            if n == 0 and rule:
                yield rule
        if rule:
            yield rule

    def __str__(self):
        return '\n'.join(self.lines())


t = Table('name', 'price', 'in stock', 'remark', align='lrcl', max_width=14)
t.add('apple', 3.5, True, None).add('日本梨', 12, False, 'sold out until the first week of October')
print(t)
lines = str(t).splitlines()
assert lines[0] == '+--------+-------+----------+----------------+', lines[0]
assert lines[3] == '| apple  |  3.50 |   yes    |                |', lines[3]
assert len(lines) == 3 + 1 + 4 + 1 or len(lines) == 3 + 1 + 3 + 1
t.style = 'double'
assert str(t).count(u'\u256c') == 15
t.style = 'plain'
print(t)
for bad in (lambda: t.add(1), lambda: Table('a', colour='red')):
    try:
        bad()
    except (TypeError, ValueError) as e:
        print('%s: %s' % (e.__class__.__name__, e))
