from __future__ import annotations
import re
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, Generic, Optional, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


class ConfigError(ValueError):
    def __init__(self, path: str, msg: str) -> None:
        super().__init__(f"{path}: {msg}")
        self.path = path


def convert(path: str, tp: Any, raw: Any) -> Any:
    origin, args = get_origin(tp), get_args(tp)
    if origin is Union or type(tp).__name__ == "UnionType":
        if raw is None and type(None) in args:
            return None
        return convert(path, next(a for a in args if a is not type(None)), raw)
    if origin is list:
        if not isinstance(raw, list):
            raise ConfigError(path, f"expected a list, got {type(raw).__name__}")
        return [convert(f"{path}[{i}]", args[0], r) for i, r in enumerate(raw)]
    if origin is dict:
        return {convert(path, args[0], k): convert(f"{path}.{k}", args[1], v) for k, v in raw.items()}
    if isinstance(tp, type) and hasattr(tp, "__dataclass_fields__"):
        return load(tp, raw, path)
    if tp is bool:
        return raw if isinstance(raw, bool) else str(raw).lower() in ("1", "yes", "true", "on")
    try:
        return tp(raw)
    except (TypeError, ValueError) as e:
        raise ConfigError(path, f"{raw!r} is not {tp.__name__}") from e


def load(cls: type[T], data: dict, path: str = "") -> T:
    hints = get_type_hints(cls)
    kw = {}
    for f in fields(cls):
        key = f.metadata.get("key", f.name)
        here = f"{path}.{key}".lstrip(".")
        if key in data:
            kw[f.name] = convert(here, hints[f.name], data[key])
        elif f.default is MISSING and f.default_factory is MISSING:
            raise ConfigError(here, "missing")
    unknown = data.keys() - {f.metadata.get("key", f.name) for f in fields(cls)}
    if unknown:
        raise ConfigError(path or "<root>", f"unknown keys {sorted(unknown)}")
    return cls(**kw)


def parse_ini(text: str) -> dict:
    out: dict = {}
    section = out
    for n, line in enumerate(text.splitlines(), 1):
        line = re.sub(r"\s*[#;].*$", "", line).strip()
        if not line:
            continue
        if m := re.fullmatch(r"\[([\w.]+)\]", line):
            section = out
            for part in m[1].split("."):
                section = section.setdefault(part, {})
        elif m := re.fullmatch(r"(\w+)\s*=\s*(.*)", line):
            value = m[2]
            section[m[1]] = value[1:-1].split(",") if value[:1] == "[" and value.endswith("]") else value
        else:
            raise SyntaxError(f"line {n}: {line!r}")
    return out


@dataclass
class Server:
    host: str
    port: int = 80
    tls: bool = False


@dataclass
class App:
    name: str
    server: Server
    ports: list[int] = field(default_factory=list)
    limits: dict[str, float] = field(default_factory=dict, metadata={"key": "limit"})
    note: Optional[str] = None
    ratio: float | None = None
    VERSION: ClassVar[int] = 2


raw = parse_ini("""
name = demo   # a comment
ports = [80,443]
ratio = 0.5
[server]
host = localhost
tls = yes
[limit]
cpu = 1.5
""")
app = load(App, raw)
print(app)
assert app == App("demo", Server("localhost", 80, True), [80, 443], {"cpu": 1.5}, None, 0.5)
for change, msg in [({"ports": "x"}, "ports: expected a list, got str"), ({"ports": ["a"]}, "ports[0]: 'a' is not int"), ({"server": {}}, "server.host: missing"), ({"zzz": 1}, "<root>: unknown keys ['zzz']")]:
    try:
        load(App, {**raw, **change})
    except ConfigError as e:
        assert str(e) == msg, e
    else:
        raise AssertionError(msg)
try:
    parse_ini("ok = 1\n???")
except SyntaxError as e:
    assert e.args[0] == "line 2: '???'"
