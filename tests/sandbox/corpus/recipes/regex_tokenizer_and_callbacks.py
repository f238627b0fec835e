import re
from typing import NamedTuple


class Token(NamedTuple):
    type: str
    value: str
    line: int
    column: int


def tokenize(code):
    keywords = {'IF', 'THEN', 'ENDIF', 'FOR', 'NEXT', 'GOSUB', 'RETURN'}
    token_specification = [
        ('NUMBER',   r'\d+(\.\d*)?'),
        ('ASSIGN',   r':='),
        ('END',      r';'),
        ('ID',       r'[A-Za-z]+'),
        ('OP',       r'[+\-*/]'),
        ('NEWLINE',  r'\n'),
        ('SKIP',     r'[ \t]+'),
        ('MISMATCH', r'.'),
    ]
    tok_regex = '|'.join('(?P<%s>%s)' % pair for pair in token_specification)
    line_num = 1
    line_start = 0
    for mo in re.finditer(tok_regex, code):
        kind = mo.lastgroup
        value = mo.group()
        column = mo.start() - line_start
        if kind == 'NUMBER':
            value = float(value) if '.' in value else int(value)
        elif kind == 'ID' and value in keywords:
            kind = value
        elif kind == 'NEWLINE':
            line_start = mo.end()
            line_num += 1
            continue
        elif kind == 'SKIP':
            continue
        elif kind == 'MISMATCH':
            raise RuntimeError(f'{value!r} unexpected on line {line_num}')
        yield Token(kind, value, line_num, column)


FLOAT = re.compile(r"""
    (?P<sign>[-+])?          # optional sign
    (?P<int>\d+)             # integer part
    (?: \. (?P<frac>\d*) )?  # fraction
    (?: e (?P<exp>[-+]?\d+) )?
""", re.VERBOSE | re.IGNORECASE)

LOG = re.compile(r'^(?P<ip>[\d.]+) - (?P<user>\S+) \[(?P<when>[^]]+)\] "(?P<verb>[A-Z]+) (?P<path>\S+)" (?P<code>\d{3})$', re.M)

LOGS = '''\
10.0.0.1 - ann [01/Jan/2024] "GET /index.html" 200
10.0.0.2 - bob [01/Jan/2024] "POST /form" 302
garbage
10.0.0.1 - ann [02/Jan/2024] "GET /missing" 404
'''


def snake(name):
    return re.sub(r'(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])', '_', name).lower()


def camel(name):
    head, *rest = name.split('_')
    return head + ''.join(map(str.title, rest))


def interpolate(template, **values):
    def replace(match):
        name = match['name']
        if match['escaped']:
            return '$'
        try:
            return str(values[name])
        except KeyError:
            raise ValueError(f'no value for {name}') from None
    return re.sub(r'\$(?:(?P<escaped>\$)|\{(?P<name>\w+)\})', replace, template)


def swap(text, table):
    pattern = re.compile('|'.join(map(re.escape, sorted(table, key=len, reverse=True))))
    return pattern.sub(lambda m: table[m[0]], text)


class Scanner:
    """Pull tokens from text with a position, the way of re.Pattern.match(text, pos)."""

    def __init__(self, text):
        self.text, self.pos = text, 0

    def scan(self, pattern):
        if m := re.compile(pattern).match(self.text, self.pos):
            self.pos = m.end()
            return m.group()

    @property
    def eof(self):
        return self.pos >= len(self.text)


def test_tokens():
    toks = list(tokenize("IF q THEN\n  t := t + p * 1.5;\nENDIF;"))
    assert toks[0] == Token('IF', 'IF', 1, 0)
    assert [t.type for t in toks] == 'IF ID THEN ID ASSIGN ID OP ID OP NUMBER END ENDIF END'.split()
    assert toks[9] == ('NUMBER', 1.5, 2, 15)
    try:
        list(tokenize('a := @'))
    except RuntimeError as e:
        assert str(e) == "'@' unexpected on line 1"
    else:
        raise AssertionError


def test_groups():
    m = FLOAT.fullmatch('-12.5E+3')
    assert m.groupdict() == {'sign': '-', 'int': '12', 'frac': '5', 'exp': '+3'}
    assert m.span('frac') == (4, 5) and m['int'] == m.group(2) == m[2]
    assert FLOAT.fullmatch('7').groupdict('0')['frac'] == '0'
    assert FLOAT.fullmatch('x') is None
    codes = [int(m['code']) for m in LOG.finditer(LOGS)]
    assert codes == [200, 302, 404]
    assert LOG.search(LOGS, LOGS.index('garbage')).groupdict()['path'] == '/missing'
    assert list(FLOAT.groupindex) == ['sign', 'int', 'frac', 'exp']
    assert LOG.sub(r'\g<user>:\g<code>', LOGS).splitlines()[0] == 'ann:200'


def test_substitution():
    assert snake('parseHTTPResponseCode2') == 'parse_http_response_code2'
    assert camel('snake_case_name') == 'snakeCaseName'
    assert interpolate('Dear ${who}, you owe $$${sum}', who='Ann', sum=3) == 'Dear Ann, you owe $3'
    try:
        interpolate('${x}')
    except ValueError as e:
        assert str(e) == 'no value for x'
    assert swap('a+b*c', {'+': ' plus ', '*': ' times '}) == 'a plus b times c'
    assert re.sub(r'(\d{4})-(\d\d)-(\d\d)', r'\3/\2/\1', '2024-05-06') == '06/05/2024'
    assert re.subn('[aeiou]', '*', 'education', count=3) == ('*d*c*tion', 3)
    assert re.split(r'\s*[,;]\s*', 'a , b;c,d') == ['a', 'b', 'c', 'd']
    assert re.split('(-)', 'a-b') == ['a', '-', 'b']
    assert re.findall(r'(\w)(\d)', 'a1 b2') == [('a', '1'), ('b', '2')]
    assert re.findall(r'\b(\w+) \1\b', 'the the cat sat sat') == ['the', 'sat']
    assert re.findall(r'(?i)py(?!pi)\w*', 'Python pypi PYX') == ['Python', 'PYX']
    assert re.sub(r'\B(?=(\d{3})+$)', ',', '1234567') == '1,234,567'
    assert re.match(r'(?s:.)', '\n') and not re.match('.', '\n')


def test_scanner():
    s = Scanner('let x = 42')
    words = []
    while not s.eof:
        s.scan(r'\s+')
        words.append(s.scan(r'\d+|\w+|='))
    assert words == ['let', 'x', '=', '42']
    assert s.scan(r'.') is None


for f in test_tokens, test_groups, test_substitution, test_scanner:
    f()
