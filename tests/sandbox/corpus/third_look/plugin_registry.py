import importlib
from typing import Callable, Dict, List, Type
import string


class Registry:
    def __init__(self, name):
        self.name = name
        self._items: Dict[str, Callable] = {}

    def register(self, name=None, *, overwrite=False):
        def wrap(obj):
            key = name or obj.__name__
            if key in self._items and not overwrite:
                raise KeyError(f"{key!r} already registered in {self.name}")
            self._items[key] = obj
            obj.plugin_name = key
            return obj
        if callable(name):
            fn, name = name, None
            return wrap(fn)
        return wrap

    def __getitem__(self, k):
        return self._items[k]

    def __iter__(self):
        return iter(sorted(self._items))

    def __len__(self):
        return len(self._items)


filters = Registry("filters")


@filters.register
def upper(s):
    return s.upper()


@filters.register("rev")
def reverse(s):
    return s[::-1]


@filters.register(name="vowels")
class Vowels:
    def __call__(self, s):
        return "".join(c for c in s if c in "aeiou")


def pipeline(spec):
    def run(x):
        for name in spec.split("|"):
            f = filters[name.strip()]
            x = (f() if isinstance(f, type) else f)(x)
        return x
    run.__name__ = f"pipeline<{spec}>"
    return run


p = pipeline("vowels | rev | upper")
assert p("communication") == "OIAIUO"
assert p.__name__ == "pipeline<vowels | rev | upper>"
assert list(filters) == ["rev", "upper", "vowels"] and len(filters) == 3
assert reverse.plugin_name == "rev"
try:
    filters.register("rev")(str.title)
except KeyError as e:
    assert "already registered" in e.args[0]


class Plugin:
    plugins: List[Type["Plugin"]] = []

    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        cls.plugins.append(cls)

    def run(self, x):
        return x


class Add1(Plugin):
    def run(self, x):
        return x + 1


class Double(Plugin):
    def run(self, x):
        return x * 2


v = 5
for P in Plugin.plugins:
    v = P().run(v)
assert v == 12
math = importlib.import_module("math")
assert math.sqrt(9) == 3
print(string.capwords("plugins are fun"))
