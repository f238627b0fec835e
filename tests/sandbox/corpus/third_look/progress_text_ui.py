import itertools
import shutil
import sys
import time
from typing import Iterable, Iterator, TypeVar

T = TypeVar("T")


def progress(it: Iterable[T], total: int | None = None, width: int = 10, out=sys.stdout) -> Iterator[T]:
    total = total if total is not None else len(it)
    for i, x in enumerate(it, 1):
        filled = width * i // total
        out.write("\r[" + "#" * filled + "." * (width - filled) + f"] {i / total:4.0%}")
        out.flush()
        yield x
    out.write("\n")


class Spinner:
    frames = itertools.cycle("|/-\\")

    def __enter__(self):
        self.t0 = time.perf_counter()
        return self

    def tick(self):
        return next(self.frames)

    def __exit__(self, *a):
        self.elapsed = time.perf_counter() - self.t0


class Capture(list):
    def write(self, s): self.append(s)
    def flush(self): pass


cap = Capture()
assert sum(progress(range(4), out=cap)) == 6 and cap[-2] == "\r[##########] 100%" and cap[0].endswith(" 25%")
for _ in progress([1, 2], width=4):
    pass
with Spinner() as sp:
    assert [sp.tick() for _ in range(5)] == list("|/-\\|")
assert sp.elapsed >= 0
cols = shutil.get_terminal_size((80, 24)).columns
print("=" * min(cols, 20))
GREEN, RESET = "\033[32m", "\033[0m"
print(f"{GREEN}ok{RESET}", end="\n" * 2)
menu = ["New", "Open", "Quit"]
print("\n".join(f"{i}. {m:.<12}{'✓' if i == 1 else ''}" for i, m in enumerate(menu, 1)))
assert time.strftime("%H:%M:%S", time.gmtime(3661)) == "01:01:01" and time.ctime(0).endswith("1970")
assert divmod(3661, 3600) == (1, 61)
