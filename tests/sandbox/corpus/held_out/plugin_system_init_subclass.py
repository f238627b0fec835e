from abc import ABC, abstractmethod
from collections import defaultdict
import json


class Plugin(ABC):
    registry: dict = {}
    priority = 0

    def __init_subclass__(cls, *, name=None, abstract=False, **kw):
        super().__init_subclass__(**kw)
        if not abstract:
            key = name or cls.__name__.removesuffix("Plugin").lower()
            if key in Plugin.registry:
                raise TypeError(f"plugin {key!r} already exists: {Plugin.registry[key].__qualname__}")
            Plugin.registry[key] = cls
            cls.name = key

    @abstractmethod
    def run(self, text: str) -> str:
        """Transforms text."""

    @classmethod
    def create(cls, key, *args, **kwargs):
        try:
            return cls.registry[key](*args, **kwargs)
        except KeyError:
            close = [k for k in cls.registry if k[0] == key[0]]
            raise LookupError(f"no plugin {key!r}, did you mean {close}?") from None


class UpperPlugin(Plugin):
    def run(self, text):
        return text.upper()


class ReversePlugin(Plugin, name="rev"):
    priority = 5

    def run(self, text):
        return text[::-1]


class ConfigurablePlugin(Plugin, abstract=True):
    defaults = {}

    def __init__(self, **options):
        unknown = options.keys() - self.defaults.keys()
        if unknown:
            raise TypeError(f"unknown options {sorted(unknown)}")
        for k, v in {**self.defaults, **options}.items():
            setattr(self, k, v)


class WrapPlugin(ConfigurablePlugin):
    defaults = {"left": "<", "right": ">"}

    def run(self, text):
        return self.left + text + self.right


class CountMixin:
    calls = defaultdict(int)

    def run(self, text):
        self.calls[type(self).__name__] += 1
        return super().run(text)


class CountedUpper(CountMixin, UpperPlugin, name="counted"):
    pass


class Pipeline:
    def __init__(self, *steps):
        self.steps = sorted(steps, key=lambda p: -p.priority)

    @classmethod
    def from_json(cls, text):
        return cls(*(Plugin.create(d.pop("plugin"), **d) for d in json.loads(text)))

    def __call__(self, text):
        for step in self.steps:
            text = step.run(text)
        return text

    def __or__(self, step):
        return Pipeline(*self.steps, step)


p = Pipeline.from_json('[{"plugin": "wrap", "left": "["}, {"plugin": "rev"}, {"plugin": "counted"}]')
assert [type(s).__name__ for s in p.steps] == ["ReversePlugin", "WrapPlugin", "CountedUpper"]
assert p("abc") == "[CBA>"
assert (p | WrapPlugin(left="(", right=")"))("abc") == "([CBA>)"
assert CountMixin.calls == {"CountedUpper": 2}
print(sorted(Plugin.registry), CountedUpper.__mro__[1].__name__)

for attempt in (
    lambda: Plugin.create("reverse"),
    lambda: Plugin.create("wrap", colour="red"),
    lambda: type("Upper", (Plugin,), {"run": lambda s, t: t}),
    lambda: Plugin(),
    lambda: type("NoRun", (Plugin,), {})(),
):
    try:
        attempt()
    except (LookupError, TypeError) as e:
        print(type(e).__name__, "|", e)
    else:
        raise AssertionError("expected a failure")
assert issubclass(Plugin.registry["rev"], Plugin) and "norun" in Plugin.registry
assert Plugin.run.__doc__ == "Transforms text." and Plugin.run.__isabstractmethod__
assert Plugin.__subclasses__()[0] is UpperPlugin
