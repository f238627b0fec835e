import csv, io
from collections import defaultdict
from operator import itemgetter

DATA = '''\
date,region,product,units,price
2024-01-03,North,Widget,10,2.50
2024-01-04,South,"Gadget, large",3,19.99
2024-01-04,North,Gizmo,7,5.00
2024-02-11,South,Widget,4,2.50
2024-02-12,East,"Quote ""this""",1,100
'''

class SemiColon(csv.Dialect):
    delimiter = ';'
    quotechar = "'"
    lineterminator = '\n'
    quoting = csv.QUOTE_MINIMAL
    doublequote = True

csv.register_dialect('semi', SemiColon)
csv.register_dialect('pipes', delimiter='|', quoting=csv.QUOTE_NONE, escapechar='\\', lineterminator='\n')

def load(text, types):
    rows = []
    for row in csv.DictReader(io.StringIO(text)):
        for field, convert in types.items():
            row[field] = convert(row[field])
        rows.append(row)
    return rows

def dump(rows, fieldnames, **kw):
    out = io.StringIO(newline='')
    w = csv.DictWriter(out, fieldnames, extrasaction='ignore', restval='-', lineterminator='\n', **kw)
    w.writeheader()
    w.writerows(rows)
    return out.getvalue()

def pivot(rows, row_key, col_key, value):
    table = defaultdict(lambda: defaultdict(float))
    for r in rows:
        table[r[row_key]][col_key(r) if callable(col_key) else r[col_key]] += value(r)
    return {k: dict(v) for k, v in table.items()}

def transpose(text):
    rows = list(csv.reader(text.splitlines()))
    out = io.StringIO()
    csv.writer(out, lineterminator='\n').writerows(zip(*rows))
    return out.getvalue()

def as_markdown(text):
    header, *body = csv.reader(io.StringIO(text))
    widths = [max(map(len, col)) for col in zip(header, *body)]
    line = lambda cells: '| ' + ' | '.join(c.ljust(w) for c, w in zip(cells, widths)) + ' |'
    return '\n'.join([line(header), line('-' * w for w in widths)] + [line(r) for r in body])

def join(left, right, on):
    index = {r[on]: r for r in right}
    return [{**index.get(l[on], {}), **l} for l in left]

rows = load(DATA, {'units': int, 'price': float})
assert len(rows) == 5 and rows[1]['product'] == 'Gadget, large' and rows[4]['product'] == 'Quote "this"'
total = sum(r['units'] * r['price'] for r in rows)
assert round(total, 2) == 229.97

by = pivot(rows, 'region', lambda r: r['date'][:7], lambda r: r['units'])
assert by == {'North': {'2024-01': 17.0}, 'South': {'2024-01': 3.0, '2024-02': 4.0}, 'East': {'2024-02': 1.0}}

best = sorted(rows, key=itemgetter('units'), reverse=True)[:2]
text = dump(best, ['product', 'units', 'color'])
assert text == 'product,units,color\nWidget,10,-\nGizmo,7,-\n'
assert dump(rows[1:2], ['product'], quoting=csv.QUOTE_ALL) == '"product"\n"Gadget, large"\n'
assert dump(rows[4:], ['product', 'units'], quoting=csv.QUOTE_NONNUMERIC) == '"product","units"\n"Quote ""this""",1\n'

out = io.StringIO()
w = csv.writer(out, 'semi')
w.writerow(['a;b', "it's", 3, None, 1.5])
assert out.getvalue() == "'a;b';'it''s';3;;1.5\n"
assert next(csv.reader([out.getvalue()], dialect='semi')) == ['a;b', "it's", '3', '', '1.5']
out.seek(0); out.truncate()
csv.writer(out, dialect='pipes').writerow(['x|y', 'z'])
assert out.getvalue() == 'x\\|y|z\n'
assert 'semi' in csv.list_dialects() and csv.get_dialect('semi').delimiter == ';'

assert transpose('a,b\n1,2\n3,4') == 'a,1,3\nb,2,4\n'
md = as_markdown('name,qty\napple,3\nfig,12\n')
assert md.splitlines()[1] == '| ----- | --- |' and md.splitlines()[3] == '| fig   | 12  |'
print(md)

managers = [{'region': 'North', 'boss': 'Nan'}, {'region': 'South', 'boss': 'Sid'}]
joined = join(rows, managers, 'region')
assert [r.get('boss') for r in joined] == ['Nan', 'Sid', 'Nan', 'Sid', None]

reader = csv.reader(['a,b', '"multi', 'line",2'])
assert list(reader) == [['a', 'b'], ['multiline', '2']] and reader.line_num == 3
try:
    list(csv.reader(['"a"x,b'], strict=True))
except csv.Error as e:
    assert 'expected after' in str(e)
else:
    raise AssertionError('strict should complain')
short = csv.DictReader(['a,b', '1', '1,2,3'], restkey='more', restval='?')
assert list(short) == [{'a': '1', 'b': '?'}, {'a': '1', 'b': '2', 'more': ['3']}]
sniffed = csv.Sniffer().sniff('name;age\nann;3\nbob;44\n')
assert sniffed.delimiter == ';'
csv.unregister_dialect('semi')
