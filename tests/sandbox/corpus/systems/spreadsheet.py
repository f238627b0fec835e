"""A spreadsheet: formulas, ranges, dependency tracking, circular references."""
import re
from functools import reduce
from graphlib import CycleError, TopologicalSorter
from string import ascii_uppercase

class CellError(Exception):
    code = '#ERROR'

class DivError(CellError):
    code = '#DIV/0'

class CycleFound(CellError):
    code = '#CYCLE'

def column_name(n):
    """0 -> A, 25 -> Z, 26 -> AA"""
    name = ''
    n += 1
    while n:
        n, r = divmod(n - 1, 26)
        name = ascii_uppercase[r] + name
    return name

def column_number(name):
    return reduce(lambda n, ch: n * 26 + ascii_uppercase.index(ch) + 1, name, 0) - 1

def expand(a, b):
    (ca, ra), (cb, rb) = (re.fullmatch(r'([A-Z]+)(\d+)', x).groups() for x in (a, b))
    return [f'{column_name(c)}{r}' for r in range(int(ra), int(rb) + 1)
            for c in range(column_number(ca), column_number(cb) + 1)]

def flat(values):
    for v in values:
        if isinstance(v, list):
            yield from flat(v)
        elif isinstance(v, (int, float)):
            yield v

FUNCTIONS = {
    'SUM': lambda *a: sum(flat(a)),
    'MAX': lambda *a: max(flat(a)),
    'AVG': lambda *a: (lambda xs: sum(xs) / len(xs))(list(flat(a))),
    'COUNT': lambda *a: len(list(flat(a))),
    'IF': lambda test, yes, no=0: yes if test else no,
    'CONCAT': lambda *a: ''.join(str(x) for x in a),
}
TOKEN = re.compile(r'\s*("[^"]*"|\d+\.?\d*|[A-Z]+\d+|[A-Z]+|<=|>=|<>|[-+*/^(),:<>=])')

class Formula:
    def __init__(self, source):
        self.tokens = TOKEN.findall(source)
        if ''.join(self.tokens).replace(' ', '') != source.replace(' ', ''):
            raise CellError(source)
        self.refs = set()
        self.evaluate = self._compare()
        if self.tokens:
            raise CellError('trailing ' + self.tokens[0])

    def _peek(self):
        return self.tokens[0] if self.tokens else ''

    def _binary(self, sub, table):
        left = sub()
        while self._peek() in table:
            op = table[self.tokens.pop(0)]
            left = (lambda l, r, op: lambda get: op(l(get), r(get)))(left, sub(), op)
        return left

    def _compare(self):
        return self._binary(self._sum, {'=': lambda a, b: a == b, '<': lambda a, b: a < b, '>': lambda a, b: a > b,
                                        '<>': lambda a, b: a != b, '<=': lambda a, b: a <= b, '>=': lambda a, b: a >= b})

    def _sum(self):
        return self._binary(self._product, {'+': lambda a, b: a + b, '-': lambda a, b: a - b})

    def _product(self):
        def divide(a, b):
            try:
                return a / b
            except ZeroDivisionError as exc:
                raise DivError from exc
        return self._binary(self._atom, {'*': lambda a, b: a * b, '/': divide, '^': pow})

    def _atom(self):
        if not self.tokens:
            raise CellError('unexpected end')
        tok = self.tokens.pop(0)
        if tok == '-':
            inner = self._atom()
            return lambda get: -inner(get)
        if tok == '(':
            inner = self._compare()
            self._close()
            return inner
        if tok[0] == '"':
            return lambda get: tok[1:-1]
        if tok[0].isdigit():
            return lambda get: float(tok) if '.' in tok else int(tok)
        if tok in FUNCTIONS and self._peek() == '(':
            self.tokens.pop(0)
            args = [self._compare()]
            while self._peek() == ',':
                self.tokens.pop(0)
                args.append(self._compare())
            self._close()
            return lambda get: FUNCTIONS[tok](*[a(get) for a in args])
        if not re.fullmatch(r'[A-Z]+\d+', tok):
            raise CellError(tok)
        if self._peek() == ':':
            self.tokens.pop(0)
            cells = expand(tok, self.tokens.pop(0))
            self.refs.update(cells)
            return lambda get: [get(c) for c in cells]
        self.refs.add(tok)
        return lambda get: get(tok)

    def _close(self):
        if not self.tokens or self.tokens.pop(0) != ')':
            raise CellError('missing )')

class Sheet:
    def __init__(self):
        self._cells, self._values = {}, {}
        self.recalculated = []

    def __setitem__(self, name, content):
        if isinstance(content, str) and content.startswith('='):
            try:
                content = Formula(content[1:])
            except CellError as e:
                content = e
        self._cells[name] = content
        self._recalculate(name)

    def __getitem__(self, name):
        value = self._values.get(name, 0)
        return value.code if isinstance(value, CellError) else value

    def _lookup(self, name):
        value = self._values.get(name, 0)
        if isinstance(value, CellError):
            raise value
        return value

    def _dependents(self, name):
        found, todo = {name}, [name]
        while todo:
            current = todo.pop()
            for other, content in self._cells.items():
                if isinstance(content, Formula) and current in content.refs and other not in found:
                    found.add(other)
                    todo.append(other)
        return found

    def _recalculate(self, changed):
        dirty = self._dependents(changed)
        graph = {n: getattr(self._cells[n], 'refs', set()) & dirty for n in dirty}
        try:
            self.recalculated = list(TopologicalSorter(graph).static_order())
        except CycleError as e:
            for n in dirty:
                self._values[n] = CycleFound(e.args[1])
            return
        for n in self.recalculated:
            content = self._cells[n]
            try:
                self._values[n] = content.evaluate(self._lookup) if isinstance(content, Formula) else content
            except CellError as e:
                self._values[n] = e
            except TypeError: self._values[n] = CellError(n)

s = Sheet()
for i, price in enumerate([10, 2.5, 4], 1):
    s[f'A{i}'] = price
    s[f'B{i}'] = i
    s[f'C{i}'] = f'=A{i}*B{i}'
s['C4'] = '=SUM(C1:C3)'
s['D1'] = '=IF(C4 > 20, CONCAT("big ", C4), "small")'
assert s['C4'] == 27 and s['D1'] == 'big 27.0'
s['A1'] = 1
assert s['C4'] == 18 and s['D1'] == 'small' and s.recalculated == ['A1', 'C1', 'C4', 'D1']
s['E1'] = '=AVG(A1:B3) + -2^2 * (1 + COUNT(A1:A9))'
assert s['E1'] == 2.25 + 4 * 10
s['F1'] = '=C4/Z9'
s['G1'] = '=F1+1'
assert s['F1'] == s['G1'] == '#DIV/0'
s['Z9'] = 2
assert s['G1'] == 10
s['A1'] = '=D1'
assert s['A1'] == '#CYCLE' and s['C4'] == '#CYCLE'
s['A1'] = 10
assert s['C4'] == 27
for bad in ('=1+', '=SUM(1', '=@', '="x"+1', '=NOPE(1)', '=1 2'):
    s['H1'] = bad
    assert s['H1'] == '#ERROR', bad
assert [column_name(n) for n in (0, 25, 26, 701, 702)] == ['A', 'Z', 'AA', 'ZZ', 'AAA'] and column_number('AAA') == 702
print({k: s[k] for k in sorted(s._cells)})
