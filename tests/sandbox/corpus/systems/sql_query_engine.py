"""A toy SQL: SELECT ... FROM ... JOIN ... WHERE ... GROUP BY ... ORDER BY ... LIMIT."""
import operator
import re
from itertools import groupby, islice
from statistics import mean

TOKENS = re.compile(r"\s*('(?:[^']|'')*'|\d+(?:\.\d+)?|[A-Za-z_][\w.]*|<=|>=|<>|[=<>(),*])", re.S)
KEYWORDS = {"select", "from", "join", "on", "where", "and", "or", "not", "group", "by", "order", "desc", "asc",
            "limit", "as", "like", "in", "is", "null", "insert", "into", "values"}
COMPARE = {"=": operator.eq, "<>": operator.ne, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}
AGGREGATES = {"count": len, "sum": sum, "avg": mean, "min": min, "max": max}

class SqlError(Exception): pass

class Database:
    def __init__(self, **tables):
        self.tables = {name: [dict(r) for r in rows] for name, rows in tables.items()}

    def query(self, sql):
        return Query(self, sql).run()

class Query:
    aggregated = False

    def __init__(self, db, sql):
        self.db = db
        self.tokens, self.aliases, pos = [], {}, 0
        sql = sql.strip()
        while pos < len(sql):
            if not (m := TOKENS.match(sql, pos)):
                raise SqlError(f"cannot read {sql[pos:]!r}")
            self.tokens.append(m[1].lower() if m[1].lower() in KEYWORDS else m[1])
            pos = m.end()

    def peek(self):
        return self.tokens[0] if self.tokens else None

    def take(self, *expected):
        if not self.tokens or expected and self.peek() not in expected:
            raise SqlError(f"expected {' or '.join(expected)}, got {self.peek()}")
        return self.tokens.pop(0)

    def accept(self, *words):
        if self.tokens[:len(words)] == list(words):
            del self.tokens[:len(words)]
            return True
        return False

    def listing(self, item):
        items = [item()]
        while self.accept(","):
            items.append(item())
        return items

    # every expression is a function from a group of rows (a list) to a value
    def value(self):
        tok = self.take()
        if tok[0] == "'":
            text = tok[1:-1].replace("''", "'")
            return tok, lambda rows: text
        if tok[0].isdigit():
            number = float(tok) if "." in tok else int(tok)
            return tok, lambda rows: number
        if tok == "null":
            return tok, lambda rows: None
        if tok.lower() in AGGREGATES and self.accept("("):
            func = AGGREGATES[tok.lower()]
            self.aggregated = True
            if self.accept("*"):
                self.take(")")
                return f"{tok}(*)", len
            label, inner = self.value()
            self.take(")")
            return f"{tok}({label})", lambda rows: func([v for r in rows if (v := inner([r])) is not None])
        if tok in KEYWORDS:
            raise SqlError(f"unexpected {tok}")

        def column(rows):
            if tok in self.aliases:
                return self.aliases[tok](rows)
            try:
                return rows[0][tok]
            except KeyError:
                raise SqlError(f"no column {tok}") from None
        return tok, column

    def condition(self):
        left = self.conjunction()
        while self.accept("or"):
            a, b = left, self.conjunction()
            left = lambda rows, a=a, b=b: a(rows) or b(rows)
        return left

    def conjunction(self):
        left = self.comparison()
        while self.accept("and"):
            a, b = left, self.comparison()
            left = lambda rows, a=a, b=b: a(rows) and b(rows)
        return left

    def comparison(self):
        if self.accept("not"):
            inner = self.comparison()
            return lambda rows: not inner(rows)
        if self.accept("("):
            inner = self.condition()
            self.take(")")
            return inner
        _, left = self.value()
        if self.accept("is", "null"):
            return lambda rows: left(rows) is None
        if self.accept("in"):
            self.take("(")
            options = [f for _, f in self.listing(self.value)]
            self.take(")")
            return lambda rows: left(rows) in [o(rows) for o in options]
        if self.accept("like"):
            pattern = re.escape(self.value()[1]([])).replace("%", ".*").replace("_", ".")
            return lambda rows: re.fullmatch(pattern, left(rows)) is not None
        op = COMPARE[self.take(*COMPARE)]
        _, right = self.value()
        return lambda rows: (a := left(rows)) is not None and (b := right(rows)) is not None and op(a, b)

    def select_item(self):
        if self.accept("*"):
            return None, None
        label, func = self.value()
        if self.accept("as"):
            self.aliases[label := self.take()] = func
        return label, func

    def order_item(self):
        return self.value()[1], self.accept("desc")

    def table(self):
        name = self.take()
        alias = self.take() if self.peek() not in KEYWORDS | {None} else name
        try:
            rows = self.db.tables[name]
        except KeyError as exc:
            raise SqlError(f"no table {name}") from exc
        return [{**r, **{f"{alias}.{k}": v for k, v in r.items()}} for r in rows]

    def run(self):
        self.take("select")
        items = self.listing(self.select_item)
        grouped = self.aggregated
        self.take("from")
        rows = self.table()
        while self.accept("join"):
            other = self.table()
            self.take("on")
            test = self.condition()
            rows = [m for a in rows for b in other if test([m := {**b, **a}])]
        if self.accept("where"):
            test = self.condition()
            rows = [r for r in rows if test([r])]
        groups = [[r] for r in rows]
        if self.accept("group", "by"):
            keys = [f for _, f in self.listing(self.value)]
            key = lambda r: tuple(k([r]) for k in keys)
            groups = [list(g) for _, g in groupby(sorted(rows, key=key), key)]
        elif grouped:
            groups = [rows]
        if self.accept("order", "by"):
            for func, reverse in reversed(self.listing(self.order_item)):
                groups.sort(key=func, reverse=reverse)
        limit = int(self.take()) if self.accept("limit") else None
        if self.tokens:
            raise SqlError("unexpected " + self.tokens[0])
        return [self.project(items, g) for g in islice(groups, limit)]

    @staticmethod
    def project(items, rows):
        out = {}
        for label, func in items:
            out |= {label: func(rows)} if func else {k: v for k, v in rows[0].items() if "." not in k}
        return out

db = Database(
    people=[dict(id=1, name="Ann", dept=1, pay=50), dict(id=2, name="Bob", dept=2, pay=40),
            dict(id=3, name="Cy", dept=1, pay=70), dict(id=4, name="D'Arcy", dept=None, pay=10)],
    depts=[dict(id=1, title="R&D"), dict(id=2, title="Sales")],
)
q = db.query
assert q("SELECT name FROM people WHERE pay >= 40 AND NOT dept = 2 ORDER BY pay DESC") == [{"name": "Cy"}, {"name": "Ann"}]
assert q("select * from depts limit 1") == [{"id": 1, "title": "R&D"}]
assert q("SELECT p.name AS who, d.title FROM people p JOIN depts d ON p.dept = d.id WHERE d.title LIKE 'S%'") == [
    {"who": "Bob", "d.title": "Sales"}]
assert q("SELECT dept, count(*) AS n, avg(pay) AS mean FROM people WHERE NOT dept IS NULL GROUP BY dept ORDER BY n DESC") == [
    {"dept": 1, "n": 2, "mean": 60}, {"dept": 2, "n": 1, "mean": 40}]
assert q("SELECT max(pay), COUNT(dept) FROM people") == [{"max(pay)": 70, "COUNT(dept)": 3}]
assert q("SELECT id FROM people WHERE name IN ('D''Arcy', 'Bob') OR (id = 1 AND pay < 10)") == [{"id": 2}, {"id": 4}]
for bad in ("SELECT FROM x", "SELECT a FROM nope", "SELECT zip FROM people", "SELECT name FROM people LIMIT 1 2", "SELECT ;"):
    try:
        q(bad)
    except SqlError as e:
        print(f"{bad!r:40} {e}")
    else:
        raise AssertionError(bad)
