from __future__ import annotations
from functools import cached_property
import textwrap

log = textwrap.dedent("""\
    > enter /
    > list
    dir photos
    1200 notes.txt
    dir music
    > enter photos
    > list
    300 cat.png
    450 dog.png
    dir old
    > enter old
    > list
    80 fish.png
    > enter ..
    > enter ..
    > enter music
    > list
    5000 song.ogg
    7000 opera.ogg
""")


class Dir:
    def __init__(self, name: str, parent: Dir | None = None):
        self.name = name
        self.parent = parent
        self.kids: dict[str, Dir] = {}
        self.files: dict[str, int] = {}

    @cached_property
    def size(self) -> int:
        return sum(self.files.values()) + sum(d.size for d in self.kids.values())

    def walk(self):
        yield self
        for d in self.kids.values():
            yield from d.walk()

    def __truediv__(self, name):
        if name not in self.kids:
            self.kids[name] = Dir(name, self)
        return self.kids[name]

    def __str__(self):
        path, d = [], self
        while d.parent:
            path.append(d.name)
            d = d.parent
        return "/" + "/".join(reversed(path))


def parse(text: str) -> Dir:
    cwd = root = Dir("/")
    for line in text.splitlines():
        match line.split():
            case ">", "enter", "/":
                cwd = root
            case ">", "enter", "..":
                cwd = cwd.parent
            case ">", "enter", name:
                cwd = cwd / name
            case ">", "list":
                pass
            case "dir", name:
                cwd / name
            case size, name if size.isdigit():
                cwd.files[name] = int(size)
            case _:
                assert False, f"what? {line!r}"
    return root


root = parse(log)
sizes = {str(d): d.size for d in root.walk()}
for name, size in sizes.items():
    print(f"{name:<12}{size:>10,}")
assert sizes == {"/": 14030, "/photos": 830, "/photos/old": 80, "/music": 12000}
need = 10_000
assert min(s for s in sizes.values() if s >= need) == 12000
assert "size" in vars(root)
