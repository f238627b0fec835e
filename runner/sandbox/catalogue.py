"""The page that shows which modules there are; `python -m runner.sandbox.catalogue` writes it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from runner.sandbox.importable import IMPORTABLE
from runner.sandbox.offers import Offer
from runner.sandbox.reasons import REFUSED

PAGE = Path(__file__).parents[2] / "docs" / "modules.md"

_HEAD = """\
# Modules that programs can import

Programs import these modules of the standard library, and no others. They work as in the Python
that the site runs on; what would lead out of the language, to the system or to other programs is
left out or replaced.
A name that isn't listed as left out is there unless its module lists what it offers.

| Module | Offered | In a version of our own | Left out |
|---|---|---|---|
"""
_REFUSED_HEAD = """
## What can't be imported, and what to do instead

| Modules | Why |
|---|---|
"""


def page() -> str:
    """The text of `docs/modules.md`."""
    reasons: dict[str, list[str]] = {}
    for name, why in REFUSED.items():
        if name not in IMPORTABLE:
            reasons.setdefault(why, []).append(name)
    rows = [_row(name, offer) for name, offer in IMPORTABLE.items()]
    refused = [f"| {_names(names)} | {why} |\n" for why, names in reasons.items()]
    return _HEAD + "".join(rows) + _REFUSED_HEAD + "".join(refused)


def _row(name: str, offer: Offer) -> str:
    everything = "" if not offer.original else "everything else public"
    left_out = [_names(offer.without - offer.refused.keys())] if offer.without else []
    left_out += [f"`{each}` ({why})" for each, why in offer.refused.items()]
    cells = (
        f"`{name}`",
        _names(offer.only) or everything,
        _names(offer.ours),
        "; ".join(filter(None, left_out)),
    )
    return f"| {' | '.join(cells)} |\n".replace("  ", " ")


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
