import csv
import io
import json
from collections import defaultdict, OrderedDict
from datetime import date, datetime
from decimal import Decimal
from operator import itemgetter

SALES = '''\
date,region,seller,amount
2023-01-05,North,"Smith, John",100.50
2023-01-17,South,Ann,200
2023-02-02,North,"Smith, John",50.25
2023-02-11,East,"Bob ""The Builder""",75
2023-02-28,South,Ann,300
'''


class Encoder(json.JSONEncoder):
    def default(self, o):
        if isinstance(o, (date, datetime)):
            return o.isoformat()
        if isinstance(o, Decimal):
            return str(o)
        if isinstance(o, set):
            return sorted(o)
        return super().default(o)


def as_date(d):
    for k, v in d.items():
        if isinstance(v, str):
            try:
                d[k] = datetime.strptime(v, "%Y-%m-%d").date()
            except ValueError:
                pass
    return d


def load(text):
    for row in csv.DictReader(io.StringIO(text)):
        row["date"] = date.fromisoformat(row["date"])
        row["amount"] = Decimal(row["amount"])
        yield row


def pivot(rows, row_key, col_key, value):
    table = defaultdict(lambda: defaultdict(Decimal))
    cols = OrderedDict()
    for r in rows:
        c = col_key(r)
        cols[c] = True
        table[r[row_key]][c] += r[value]
    return list(cols), {k: [v[c] for c in cols] for k, v in sorted(table.items())}


def write_csv(header, body):
    out = io.StringIO(newline="")
    w = csv.writer(out, delimiter=";", quoting=csv.QUOTE_MINIMAL, lineterminator="\n")
    w.writerow(["region"] + header)
    w.writerows([k, *v] for k, v in body.items())
    return out.getvalue()


rows = list(load(SALES))
assert rows[0]["seller"] == "Smith, John" and rows[3]["seller"] == 'Bob "The Builder"'
months, table = pivot(rows, "region", lambda r: r["date"].strftime("%b"), "amount")
text = write_csv(months, table)
print(text)
assert text.splitlines()[2] == "North;100.50;50.25"

summary = {
    "total": sum(map(itemgetter("amount"), rows)),
    "sellers": {r["seller"] for r in rows},
    "last": max(r["date"] for r in rows),
    "by_region": {k: sum(v) for k, v in table.items()},
    "none": None, "unicode": "é", "float": 1e100, "nested": [[], {}, [1, [2]]],
}
dumped = json.dumps(summary, cls=Encoder, indent=2, sort_keys=True)
print(dumped)
again = json.loads(dumped, object_hook=as_date, parse_float=Decimal)
assert again["last"] == date(2023, 2, 28)
assert again["total"] == "725.75" and again["float"] == Decimal("1e100")
assert json.dumps({"b": 1, "a": (1, 2)}, separators=(",", ":")) == '{"b":1,"a":[1,2]}'
assert json.dumps("é") == '"\\u00e9"' and json.dumps("é", ensure_ascii=False) == '"é"'
try:
    json.loads('{"a": 1,}')
except json.JSONDecodeError as e:
    print(e.msg, e.lineno, e.colno)
try:
    json.dumps(object)
except TypeError as e:
    print(e)
dialect = csv.Sniffer().sniff("a;b;c\n1;2;3\n4;5;6\n")
assert dialect.delimiter == ";"
