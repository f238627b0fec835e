import re
from collections import namedtuple

LOG = '''
127.0.0.1 - ann [10/Oct/2023:13:55:36 +0000] "GET /index.html HTTP/1.1" 200 2326
10.0.0.7 - - [10/Oct/2023:13:56:01 +0000] "POST /login HTTP/1.1" 302 -
10.0.0.7 - bob [10/Oct/2023:13:57:12 +0000] "GET /a b HTTP/1.1" 404 12
garbage line
'''

line_re = re.compile(r'''
    (?P<host>\S+)\s\S+\s(?P<user>\S+)\s
    \[(?P<when>[^\]]+)\]\s
    "(?P<method>[A-Z]+)\s(?P<path>.*?)\sHTTP/\d\.\d"\s
    (?P<status>\d{3})\s(?P<size>\d+|-)
''', re.X)

Hit = namedtuple('Hit', 'host user method path status size')
hits = []
for m in line_re.finditer(LOG):
    d = m.groupdict()
    d.pop('when')
    d['size'] = 0 if d['size'] == '-' else int(d['size'])
    hits.append(Hit(**d))
for h in hits:
    print('%-10s %-5s %-5s %-12s %s %5d' % h)
assert len(hits) == 3 and hits[2].path == '/a b' and sum(h.size for h in hits) == 2338

# substitutions
snake = lambda s: re.sub(r'(?<!^)(?=[A-Z])', '_', s).lower()
camel = lambda s: re.sub(r'_(\w)', lambda m: m.group(1).upper(), s)
assert snake('someVariableName') == 'some_variable_name' and camel('some_variable_name') == 'someVariableName'
assert re.sub(r'(\d)(?=(\d{3})+$)', r'\1,', '1234567') == '1,234,567'
assert re.subn('[aeiou]', '', 'programming language') == ('prgrmmng lngg', 7)
assert re.sub(r'\b(\w+)( \1\b)+', r'\1', 'the the cat sat sat sat') == 'the cat sat'

# template engine
def render(template, **ctx):
    def repl(m):
        name, _, fmt = m.group(1).partition('|')
        value = ctx[name.strip()]
        return format(value, fmt.strip())
    return re.sub(r'\{\{(.*?)\}\}', repl, template)
assert render('{{ who }} owes {{ n | .2f }}', who='Ann', n=3) == 'Ann owes 3.00'

# tokenizer
TOKEN = re.compile(r'\s*(?:(?P<num>\d+\.?\d*)|(?P<name>[a-z]\w*)|(?P<op>\*\*|[-+*/()=])|(?P<bad>.))', re.I)
def tokens(s):
    pos = 0
    while m := TOKEN.match(s, pos):
        if m.lastgroup == 'bad':
            raise SyntaxError('bad character %r at %d' % (m['bad'], m.start('bad')))
        yield m.lastgroup, m[m.lastgroup]
        pos = m.end()
print(list(tokens('x1 = 3.5*(y+2)**2')))
try:
    list(tokens('a $ b'))
except SyntaxError as e:
    print(e)

# validators
checks = {
    'email': r'[\w.+-]+@[\w-]+(\.[\w-]+)+',
    'hex colour': r'#(?:[0-9a-f]{3}){1,2}',
    'ipv4': r'((25[0-5]|2[0-4]\d|1?\d?\d)(\.(?!$)|$)){4}',
    'password': r'(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{8,}',
}
samples = ['a.b@c.org', '#FFF', '192.168.0.1', 'Passw0rd!', '256.1.1.1', '#12', 'nobody@']
for s in samples:
    kinds = [k for k, rx in checks.items() if re.fullmatch(rx, s, re.I if 'hex' in k else 0)]
    print(s.ljust(12), kinds)
assert re.fullmatch(checks['ipv4'], '255.255.255.255') and not re.fullmatch(checks['ipv4'], '1.2.3')

assert re.split(r'[;,\s]\s*', 'a, b;c  d') == ['a', 'b', 'c', '', 'd'] or re.split(r'[;,\s]+', 'a, b;c  d') == list('abcd')
assert re.findall(r'(?m)^(\w+):\s*(.*)$', 'a: 1\nb: 2') == [('a', '1'), ('b', '2')]
assert re.search(r'<(\w+)>.*?</\1>', 'x<b>bold</b>').span() == (1, 12)
assert re.escape('a.b*c') == r'a\.b\*c'
m = re.match(r'(?P<y>\d{4})-(?P<m>\d\d)?', '2024-')
assert m.groups('??') == ('2024', '??') and m.lastindex == 1 and m.re.groupindex['y'] == 1 and m.expand(r'<\g<y>>') == '<2024>'
try:
    re.compile('(unclosed')
except re.error as e:
    print(e.msg, e.pos)
