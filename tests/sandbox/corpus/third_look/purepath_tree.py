from pathlib import PurePath, PurePosixPath, PureWindowsPath
from fnmatch import fnmatch, filter as fnfilter
import os.path


class VFile:
    def __init__(self, name, size=0):
        self.name, self.size = name, size

    def walk(self, prefix=PurePosixPath("/")):
        yield prefix / self.name, self.size


class VDir(VFile):
    def __init__(self, name, *children):
        super().__init__(name)
        self.children = {c.name: c for c in children}

    def walk(self, prefix=PurePosixPath("/")):
        here = prefix / self.name if self.name else prefix
        for c in sorted(self.children.values(), key=lambda c: c.name):
            yield from c.walk(here)

    def __truediv__(self, name):
        return self.children[name]


root = VDir("", VDir("src", VFile("main.py", 120), VFile("util.py", 80)), VDir("docs", VFile("a.md", 10)), VFile("README", 5))
files = dict(root.walk())
assert [str(p) for p in files] == ["/README", "/docs/a.md", "/src/main.py", "/src/util.py"]
assert sum(s for p, s in files.items() if p.suffix == ".py") == 200
assert fnmatch("main.py", "*.py") and fnfilter(["a.md", "b.py"], "*.md") == ["a.md"]
assert (root / "src" / "main.py").size == 120
assert os.path.commonprefix(["/a/bc", "/a/bd"]) == "/a/b" and os.path.normpath("a//b/../c") == "a/c"
assert os.path.split("/x/y") == ("/x", "y") and os.path.isabs("/x") and os.path.dirname("/x/y/z") == "/x/y"
assert PureWindowsPath("C:\\a\\b.txt").drive == "C:" and PurePosixPath("/a").is_absolute() and PurePath("a", "b").joinpath("c").parts == ("a", "b", "c")
assert [p.as_posix() for p in PurePosixPath("/a/b/c").parents] == ["/a/b", "/a", "/"]
print(len(files))
