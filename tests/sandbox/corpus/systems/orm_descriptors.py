"""Models with typed columns, managers and lookups; rows live in a dictionary."""
from datetime import date

class DoesNotExist(Exception):
    pass

class Column:
    kind = object

    def __init__(self, *, default=None, null=False, unique=False):
        self.default = default
        self.null = null
        self.unique = unique

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, obj, owner):
        if obj is None:
            return self
        return obj.__dict__.get(self.name, self.default() if callable(self.default) else self.default)

    def __set__(self, obj, value):
        obj.__dict__[self.name] = self.clean(value)
        obj._dirty.add(self.name)

    def clean(self, value):
        if value is None:
            if not self.null:
                raise ValueError(f"{self.name} may not be null")
            return None
        if not isinstance(value, self.kind):
            raise TypeError(f"{self.name} must be {self.kind.__name__}, not {type(value).__name__}")
        return value

    def __eq__(self, other):
        return Q(lambda row: getattr(row, self.name) == other)

    def __lt__(self, other):
        return Q(lambda row: getattr(row, self.name) < other)

    def __gt__(self, other):
        return Q(lambda row: getattr(row, self.name) > other)

    __hash__ = object.__hash__

class Integer(Column):
    kind = int

class Date(Column):
    kind = date

class Text(Column):
    kind = str

    def __init__(self, max_length=None, **options):
        super().__init__(**options)
        self.max_length = max_length

    def clean(self, value):
        value = super().clean(value)
        if self.max_length and value and len(value) > self.max_length:
            raise ValueError(f"{self.name} is longer than {self.max_length}")
        return value

class ForeignKey(Column):
    def __init__(self, target, **options):
        super().__init__(**options)
        self.kind = target

class Q:
    def __init__(self, test):
        self.test = test

    def __and__(self, other):
        return Q(lambda row: self.test(row) and other.test(row))

    def __or__(self, other):
        return Q(lambda row: self.test(row) or other.test(row))

    def __invert__(self):
        return Q(lambda row: not self.test(row))

class QuerySet:
    LOOKUPS = {"exact": lambda a, b: a == b, "contains": lambda a, b: b in a,
               "gte": lambda a, b: a >= b, "lt": lambda a, b: a < b, "in": lambda a, b: a in b}

    def __init__(self, model, filters=(), ordering=()):
        self.model, self._filters, self._ordering = model, tuple(filters), tuple(ordering)

    def _clone(self, **changes):
        return QuerySet(self.model, **{"filters": self._filters, "ordering": self._ordering, **changes})

    def filter(self, *qs, **lookups):
        tests = [q.test for q in qs]
        for key, expected in lookups.items():
            *path, last = key.split("__")
            op = self.LOOKUPS.get(last)
            if op is None:
                path, op = [*path, last], self.LOOKUPS["exact"]

            def test(row, path=tuple(path), op=op, expected=expected):
                for name in path:
                    row = getattr(row, name)
                return op(row, expected)

            tests.append(test)
        return self._clone(filters=[*self._filters, *tests])

    order_by = lambda self, *names: self._clone(ordering=names)

    def __iter__(self):
        rows = [r for r in self.model._rows.values() if all(f(r) for f in self._filters)]
        for name in reversed(self._ordering):
            rows.sort(key=lambda r: getattr(r, name.lstrip("-")), reverse=name.startswith("-"))
        return iter(rows)

    def __len__(self): return sum(1 for _ in self)

    def get(self, **lookups):
        match list(self.filter(**lookups)):
            case [row]:
                return row
            case []:
                raise DoesNotExist(f"{self.model.__name__} with {lookups}")
            case rows:
                raise LookupError(f"{len(rows)} rows")

    def values(self, *names):
        return [tuple(getattr(r, n) for n in names) for r in self]

class Model:
    id = Integer(null=True)

    def __init_subclass__(cls):
        cls._rows = {}
        cls.columns = {n: c for k in reversed(cls.__mro__) for n, c in vars(k).items() if isinstance(c, Column)}
        cls.objects = QuerySet(cls)

    def __init__(self, **kwargs):
        self._dirty = set()
        for name, column in self.columns.items():
            if name in kwargs:
                setattr(self, name, kwargs.pop(name))
        if kwargs:
            raise TypeError(f"{type(self).__name__} has no column {', '.join(kwargs)}")

    def save(self):
        for name, column in self.columns.items():
            if name != "id":
                value = column.clean(getattr(self, name))
                if column.unique and any(getattr(r, name) == value for r in self._rows.values() if r is not self):
                    raise ValueError(f"{name}={value!r} exists")
        if self.id is None:
            self.id = max(self._rows, default=0) + 1
        self._rows[self.id] = self
        self._dirty.clear()
        return self

    def __repr__(self):
        return f"<{type(self).__name__} {self.id}>"

class Author(Model):
    name = Text(max_length=20, unique=True)
    born = Date(null=True)

class Book(Model):
    title = Text()
    pages = Integer(default=100)
    author = ForeignKey(Author)

ann = Author(name="Ann", born=date(1970, 1, 1)).save()
bob = Author(name="Bob").save()
for title, pages, author in [("Zen", 300, ann), ("Art", 120, ann), ("Sea", 80, bob)]:
    Book(title=title, pages=pages, author=author).save()
Book(title="Default", author=bob).save()

assert Book.objects.order_by("-pages").values("title", "pages")[0] == ("Zen", 300)
assert [b.title for b in Book.objects.filter(author__name="Ann").order_by("title")] == ["Art", "Zen"]
assert len(Book.objects.filter(pages__gte=100, title__contains="e")) == 2
assert [b.id for b in Book.objects.filter((Book.pages > 200) | (Book.title == "Sea"))] == [1, 3]
assert len(Book.objects.filter(~(Book.author == ann) & (Book.pages < 90))) == 1
assert repr(Author.objects.get(id__in=[2, 9])) == "<Author 2>" and Book.title.name == "title"
ann.name = "Anna"
assert ann._dirty == {"name"} and not ann.save()._dirty
for action, error in [
    (lambda: Author(name="Bob").save(), ValueError), (lambda: Author(name="x" * 21), ValueError),
    (lambda: Book(title=3), TypeError), (lambda: Book(title="x").save(), ValueError),
    (lambda: Book(author="Ann"), TypeError), (lambda: Book(isbn=1), TypeError),
    (lambda: Author.objects.get(name="Zoe"), DoesNotExist), (lambda: Book.objects.get(), LookupError),
]:
    try:
        action()
    except error as e:
        print(f"{error.__name__}: {e}")
    else:
        raise AssertionError(error)
