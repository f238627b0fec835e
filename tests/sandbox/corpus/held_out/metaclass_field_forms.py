"""A form/ORM-like library: metaclass collects fields, __init_subclass__ registers, mixins add."""
import datetime
import re


class ValidationError(Exception):
    pass


class Field:
    _counter = 0
    kind = object

    def __init__(self, required=True, default=None, label=None, choices=()):
        self.required, self.default, self.label, self.choices = required, default, label, choices
        Field._counter += 1
        self.order = Field._counter

    def __set_name__(self, owner, name):
        self.name = name
        self.label = self.label or name.replace("_", " ").title()

    def clean(self, raw):
        if raw in (None, ""):
            if self.required and self.default is None:
                raise ValidationError(f"{self.label} is required")
            return self.default
        try:
            value = self.to_python(raw)
        except (TypeError, ValueError):
            raise ValidationError(f"{self.label}: {raw!r} is not valid") from None
        if self.choices and value not in self.choices:
            raise ValidationError(f"{self.label} must be one of {', '.join(map(str, self.choices))}")
        return value

    def to_python(self, raw):
        return self.kind(raw)


class IntField(Field):
    kind = int


class CharField(Field):
    kind = str

    def __init__(self, *, pattern=None, **kw):
        super().__init__(**kw)
        self.pattern = pattern and re.compile(pattern)

    def to_python(self, raw):
        if self.pattern and not self.pattern.fullmatch(raw):
            raise ValueError(raw)
        return raw


class DateField(Field):
    kind = staticmethod(datetime.date.fromisoformat)


class FormMeta(type):
    def __new__(meta, name, bases, attrs):
        declared = {k: v for k, v in attrs.items() if isinstance(v, Field)}
        for k in declared:
            attrs.pop(k)
        cls = super().__new__(meta, name, bases, attrs)
        fields = {}
        for base in reversed(cls.__mro__):
            fields.update(getattr(base, "_declared", {}))
        for k, f in declared.items():
            f.__set_name__(cls, k)
        cls._declared = declared
        cls.fields = dict(sorted({**fields, **declared}.items(), key=lambda kv: kv[1].order))
        return cls

    def __contains__(cls, name):
        return name in cls.fields

    def __repr__(cls):
        return f"<form {cls.__name__}: {', '.join(cls.fields)}>"


class Form(metaclass=FormMeta):
    registry = {}

    def __init_subclass__(cls, /, slug=None, **kwargs):
        super().__init_subclass__(**kwargs)
        cls.registry[slug or cls.__name__.lower()] = cls

    def __init__(self, data):
        self.data, self.errors, self.cleaned = data, {}, {}

    def is_valid(self):
        for name, field in self.fields.items():
            try:
                value = field.clean(self.data.get(name))
                hook = getattr(self, f"clean_{name}", None)
                self.cleaned[name] = hook(value) if hook else value
            except ValidationError as e:
                self.errors[name] = str(e)
        return not self.errors


FormMeta.__call__  # still type.__call__


class Contact(Form):
    email = CharField(pattern=r"[^@\s]+@[^@\s]+\.\w+")
    age = IntField(required=False, default=18)


class ShoutMixin:
    def clean_city(self, value):
        return value.upper()


class Booking(ShoutMixin, Contact):
    city = CharField(choices=("Oslo", "Rome"))
    arrival = DateField(label="Day of arrival")

    def clean_age(self, value):
        if value < 18:
            raise ValidationError("too young")
        return value


print(Contact, Booking)
ok = Booking({"email": "a@b.org", "city": "Rome", "arrival": "2024-02-29"})
assert ok.is_valid(), ok.errors
assert ok.cleaned == {"email": "a@b.org", "age": 18, "city": "ROME", "arrival": datetime.date(2024, 2, 29)}
bad = Booking({"email": "nobody", "age": "7", "city": "Paris"})
assert not bad.is_valid()
for name, error in bad.errors.items():
    print(f"{name:8} {error}")
assert list(bad.errors) == ["email", "age", "city", "arrival"]
assert "email" in Booking and "city" not in Contact
assert Form.registry == {"contact": Contact, "booking": Booking}
Dynamic = FormMeta("Dynamic", (Form,), {"x": IntField(), "__module__": __name__})
assert Dynamic({"x": "5"}).is_valid() and type(Dynamic) is FormMeta
