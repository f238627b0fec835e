"""Readers for INI text and for a subset of TOML, with errors that carry line numbers."""
import re
from datetime import date, datetime
from typing import Any


class ConfigError(Exception):
    def __init__(self, lineno: int, message: str) -> None:
        super().__init__(message)
        self.lineno = lineno

    def __str__(self) -> str:
        return f"line {self.lineno}: {super().__str__()}"


class Section(dict):
    """A section that converts on demand and falls back to the defaults."""

    _BOOLEANS = {"yes": True, "on": True, "true": True, "1": True, "no": False, "off": False, "false": False, "0": False}

    def __init__(self, name, defaults):
        super().__init__()
        self.name, self._defaults = name, defaults

    def __missing__(self, key):
        return self._defaults[key]

    def getboolean(self, key):
        try:
            return self._BOOLEANS[self[key].lower()]
        except KeyError as exc:
            raise ValueError(f"[{self.name}] {key}: not a boolean: {self[key]!r}") from exc

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class Ini:
    _section = re.compile(r"\[(?P<name>[^\]]+)\]$")
    _pair = re.compile(r"(?P<key>[^=:\s][^=:]*?)\s*[=:]\s*(?P<value>.*)$")
    _reference = re.compile(r"%\((\w+)\)s")

    def __init__(self, text):
        self.defaults = {}
        self.sections = {}
        target, last = self.defaults, None
        for lineno, raw in enumerate(text.splitlines(), start=1):
            line = raw.strip()
            if not line or line[0] in "#;":
                continue
            if raw[0].isspace() and last:
                target[last] += "\n" + line
            elif m := self._section.match(line):
                name = m["name"]
                if name in self.sections:
                    raise ConfigError(lineno, f"duplicate section {name!r}")
                target = self.defaults if name == "DEFAULT" else self.sections.setdefault(name, Section(name, self.defaults))
                last = None
            elif m := self._pair.match(line):
                last = m["key"].lower()
                target[last] = m["value"]
            else:
                raise ConfigError(lineno, f"cannot parse {line!r}")
        for section in self.sections.values():
            for key in section:
                section[key] = self._reference.sub(lambda m: section[m[1]], section[key])

    def __getitem__(self, name):
        return self.sections[name]

    def __iter__(self):
        return iter(self.sections)


def _split(text: str) -> list[str]:
    """Split at commas that are in neither quotes nor brackets."""
    parts, depth, quote, start = [], 0, "", 0
    for i, ch in enumerate(text):
        if quote:
            quote = "" if ch == quote else quote
        elif ch in "\"'":
            quote = ch
        elif ch in "[{":
            depth += 1
        elif ch in "]}":
            depth -= 1
        elif ch == "," and not depth:
            parts.append(text[start:i])
            start = i + 1
    return [p.strip() for p in (*parts, text[start:]) if p.strip()]


def toml_value(text: str, lineno: int) -> Any:
    match text[0], text[-1]:
        case ('"', '"') | ("'", "'") if len(text) > 1:
            body = text[1:-1]
            return body if text[0] == "'" else re.sub(r'\\(.)', lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), body)
        case "[", "]":
            return [toml_value(v, lineno) for v in _split(text[1:-1])]
        case "{", "}":
            pairs = (p.split("=", 1) for p in _split(text[1:-1]))
            return {k.strip(): toml_value(v.strip(), lineno) for k, v in pairs}
    if text in ("true", "false"):
        return text == "true"
    for convert in (lambda t: int(t.replace("_", ""), 0), float, date.fromisoformat, datetime.fromisoformat):
        try:
            return convert(text)
        except ValueError:
            continue
    raise ConfigError(lineno, f"bad value {text!r}")


def toml(text: str) -> dict[str, Any]:
    root: dict[str, Any] = {}
    table = root
    for lineno, line in enumerate(text.splitlines(), 1):
        line = re.sub(r"\s+#[^\"']*$|^\s*#.*$", "", line).strip()
        if not line:
            continue
        if m := re.fullmatch(r"\[\[(.+)\]\]", line):
            table = {}
            root.setdefault(m[1], []).append(table)
        elif m := re.fullmatch(r"\[(.+)\]", line):
            table = root
            for part in m[1].split("."):
                table = table.setdefault(part, {})
        else:
            key, eq, value = line.partition("=")
            if not eq:
                raise ConfigError(lineno, "expected key = value")
            *path, last = (p.strip().strip('"') for p in key.split("."))
            target = table
            for part in path:
                target = target.setdefault(part, {})
            target[last] = toml_value(value.strip(), lineno)
    return root


INI = """
[DEFAULT]
root = /srv
debug: no

[web]
; a comment
port = 8080
static = %(root)s/static
DEBUG = On
motd = hello
  world

[db]
url=postgres://x?a=b
"""
TOML = """
title = "Example \\"quoted\\""   # comment
[owner]
name = 'Tom'
dob = 1979-05-27
[servers.alpha]
ip = "10.0.0.1"
ports = [ 8_000, 0x10, [1, 2] ]
limits.cpu = 0.5
[[fruit]]
attrs = { red = true, tags = ["a", "b, c"] }
"""


def main() -> None:
    ini = Ini(INI)
    assert list(ini) == ["web", "db"]
    web = ini["web"]
    assert int(web.port) == 8080 and web.static == "/srv/static" and web.motd == "hello\nworld"
    assert web.getboolean("debug") is True and ini["db"].getboolean("debug") is False
    assert ini["db"].url == "postgres://x?a=b" and not hasattr(web, "nope")
    for bad, where in (("[a]\n[a]", "line 2: duplicate section 'a'"), ("[x]\n\nwhat", "line 3: cannot parse 'what'")):
        try:
            Ini(bad)
        except ConfigError as e:
            assert str(e) == where
    doc = toml(TOML)
    assert doc["title"] == 'Example "quoted"' and doc["owner"] == {"name": "Tom", "dob": date(1979, 5, 27)}
    assert doc["servers"]["alpha"] == {"ip": "10.0.0.1", "ports": [8000, 16, [1, 2]], "limits": {"cpu": 0.5}}
    assert doc["fruit"][0]["attrs"] == {"red": True, "tags": ["a", "b, c"]}
    for bad in ("x = @", "novalue"):
        try:
            toml(bad)
        except ConfigError as e:
            print(e)
        else:
            raise AssertionError(bad)


if __name__ == "__main__":
    main()
