"""Runs one target for some seconds: `python -m fuzz compiler 120`."""

from __future__ import annotations

import keyword
import sys

try:
    import atheris
except ImportError:
    sys.exit("atheris is not installed; it needs Linux on x86-64 and a supported Python")

with atheris.instrument_imports(include=["runner.sandbox", "RestrictedPython"]):
    from fuzz import targets
    from runner.sandbox import IMPORTABLE

KEPT = targets.ROOT / "var" / "fuzz"


def main(target: str, seconds: str) -> None:
    found, begun = KEPT / target / "found", KEPT / target / "seeds"
    for folder in (found, begun):
        folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(targets.seeds(target)):
        (begun / f"{number:04}").write_bytes(seed)
    options = [
        f"-max_total_time={int(seconds)}",
        f"-artifact_prefix={found.parent}/failing-",
        "-max_len=4096",
        "-rss_limit_mb=2048",
        "-timeout=20",
        "-print_final_stats=1",
        "-verbosity=1",
    ]
    if target == "compiler":
        (KEPT / "words").write_text(dictionary(), "ascii")
        options.append(f"-dict={KEPT / 'words'}")
    atheris.Setup([sys.argv[0], *options, str(found), str(begun)], targets.TARGETS[target])
    atheris.Fuzz()


def dictionary() -> str:
    """Return a dictionary of Python tokens, in libFuzzer's format."""
    words = {*keyword.kwlist, *keyword.softkwlist, *vars(object), *IMPORTABLE, ":=", "f'{", "<<"}
    return "".join(f'"{word}"\n' for word in sorted(words))


if __name__ == "__main__":
    main(*sys.argv[1:3])
