class Field:
    def __init__(self, column_type, primary_key=False, default=None):
        self.column_type = column_type
        self.primary_key = primary_key
        self.default = default
        self.name = None

    def __repr__(self):
        return f"<{type(self).__name__} {self.name}:{self.column_type}>"


class StringField(Field):
    def __init__(self, size=100, **kw):
        super().__init__(f"varchar({size})", **kw)


class IntegerField(Field):
    def __init__(self, **kw):
        super().__init__("bigint", **kw)


class ModelMeta(type):
    @classmethod
    def __prepare__(mcs, name, bases, **kw):
        return {}

    def __new__(mcs, name, bases, attrs, table=None):
        fields = {}
        for base in bases:
            fields.update(getattr(base, "_fields", {}))
        for k, v in list(attrs.items()):
            if isinstance(v, Field):
                v.name = k
                fields[k] = attrs.pop(k)
        attrs["_fields"] = fields
        attrs["_table"] = table or name.lower()
        return super().__new__(mcs, name, bases, attrs)

    def __init__(cls, name, bases, attrs, **kw):
        super().__init__(name, bases, attrs)

    def __len__(cls):
        return len(cls._fields)

    def __call__(cls, *args, **kwargs):
        instance = super().__call__(*args, **kwargs)
        created.append(cls.__name__)
        return instance


created = []


class Model(dict, metaclass=ModelMeta):
    def __init__(self, **kw):
        for name, f in self._fields.items():
            self[name] = kw.pop(name, f.default)
        if kw:
            raise TypeError(f"unknown fields: {', '.join(kw)}")

    def __getattr__(self, key):
        try:
            return self[key]
        except KeyError:
            raise AttributeError(key) from None

    def __setattr__(self, key, value):
        if key not in self._fields:
            raise AttributeError(key)
        self[key] = value

    @classmethod
    def create_sql(cls):
        cols = ", ".join(f"{n} {f.column_type}{' primary key' if f.primary_key else ''}" for n, f in cls._fields.items())
        return f"create table {cls._table} ({cols})"

    def insert_sql(self):
        names = ", ".join(self._fields)
        return f"insert into {self._table} ({names}) values ({', '.join('?' * len(self._fields))})", list(self.values())


class User(Model, table="users"):
    id = IntegerField(primary_key=True)
    name = StringField(50, default="anon")


class Admin(User):
    level = IntegerField(default=1)


u = User(id=3)
assert u.name == "anon"
u.name = "Ann"
assert u.insert_sql() == ("insert into users (id, name) values (?, ?)", [3, "Ann"])
assert User.create_sql() == "create table users (id bigint primary key, name varchar(50))"
assert len(Admin) == 3 and Admin._table == "admin"
try:
    u.nope = 1
except AttributeError as e:
    assert e.args == ("nope",)
try:
    User(foo=1)
except TypeError as e:
    assert "foo" in str(e)
assert not hasattr(u, "zzz") and type(User) is ModelMeta
assert created == ["User"], created
print(repr(User._fields["name"]))
