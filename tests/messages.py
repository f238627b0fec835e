"""Brings the catalogues of translations up to date: `make messages`.

Texts are found as Django finds them, by Babel in place of GNU's tools. New ones are added without
a translation, and those that are used no more are removed. Catalogues are compiled as well.
"""

import io
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.catalog import Message as BabelMessage
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parents[1]
LOCALE = ROOT / "socialcode/locale"
LANGUAGES = ("de",)
PACKAGES = ("functions", "socialcode", "runner")
SCRIPTS = ("frontend/pages", "frontend/scripts", "frontend/editor")
KEYWORDS = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
}
WIDTH = 100

Message = tuple[str | tuple[str, ...], str | None, str]


def texts_of_pages() -> Iterator[Message]:
    """Find the texts of Python and templates, as (text or forms, context, file)."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if "samples" not in path.parts and "migrations" not in path.parts:
                yield from _texts("python", path, path.read_text("utf-8"))
    for path in sorted((ROOT / "templates").rglob("*.*")):
        # Python but for the indentation of the page.
        lines = templatize(path.read_text("utf-8"), origin=str(path)).splitlines()
        yield from _texts("python", path, "\n".join(line.lstrip() for line in lines))


def texts_of_scripts() -> Iterator[Message]:
    """Find the texts of scripts, as (text or forms, context, file)."""
    for folder in SCRIPTS:
        for path in sorted((ROOT / folder).rglob("*.js")):
            yield from _texts("javascript", path, path.read_text("utf-8"))


def _texts(method: str, path: Path, source: str) -> Iterator[Message]:
    place = str(path.relative_to(ROOT))
    for _, found, _, context in extract(method, io.BytesIO(source.encode()), KEYWORDS):
        yield (found if isinstance(found, str) else tuple(found)), context, place


DOMAINS = {"django": texts_of_pages, "djangojs": texts_of_scripts}


def template(domain: str) -> Catalog:
    """Return a domain's texts without translations."""
    catalog = Catalog(domain=domain, fuzzy=False)
    for text, context, place in DOMAINS[domain]():
        is_formatted = "%(" in (text if isinstance(text, str) else "".join(text))
        flags = ("python-format",) if is_formatted else ()
        catalog.add(text, locations=[(place, 0)], flags=flags, context=context)
    return catalog


def read(language: str, domain: str) -> Catalog:
    """Return a catalogue as it is in the tree; an empty one if there is none."""
    path = LOCALE / language / "LC_MESSAGES" / f"{domain}.po"
    if not path.exists():
        return Catalog(locale=language, domain=domain, fuzzy=False)
    return read_po(io.StringIO(path.read_text("utf-8")), locale=language, domain=domain)


def brought_up_to_date(language: str, domain: str) -> Catalog:
    """Return a catalogue with just the texts that are used now."""
    catalog = read(language, domain)
    catalog.update(template(domain), no_fuzzy_matching=True, update_header_comment=False)
    catalog.obsolete.clear()
    return catalog


def as_po(catalog: Catalog) -> bytes:
    """Return the catalogue's source; without dates, so that nothing changes by itself."""
    out = io.BytesIO()
    write_po(out, catalog, width=WIDTH, omit_header=True, sort_output=True, include_lineno=False)
    header = (
        '# German\nmsgid ""\nmsgstr ""\n'
        '"Content-Type: text/plain; charset=utf-8\\n"\n'
        f'"Plural-Forms: {catalog.plural_forms}\\n"\n\n'
    )
    return header.encode() + out.getvalue()


def as_mo(catalog: Catalog) -> bytes:
    """Return the compiled catalogue."""
    # Otherwise its header tells the present time.
    catalog.creation_date = catalog.revision_date = datetime(2000, 1, 1, tzinfo=UTC)
    out = io.BytesIO()
    write_mo(out, catalog)
    return out.getvalue()


def main() -> int:
    """Write all catalogues; tell how many texts lack a translation."""
    lacking = 0
    for language in LANGUAGES:
        folder = LOCALE / language / "LC_MESSAGES"
        folder.mkdir(parents=True, exist_ok=True)
        for domain in DOMAINS:
            catalog = brought_up_to_date(language, domain)
            (folder / f"{domain}.po").write_bytes(as_po(catalog))
            catalog = read(language, domain)
            (folder / f"{domain}.mo").write_bytes(as_mo(catalog))
            missing = sum(1 for one in catalog if one.id and not is_translated(one))
            print(f"{language}, {domain}: {len(catalog)} texts, {missing} without a translation")
            lacking += missing
    return int(lacking > 0)


def is_translated(message: BabelMessage) -> bool:
    """Return whether every form of a message has a translation."""
    return all(forms(message.string))


def forms(text: str | Sequence[str] | None) -> Sequence[str]:
    """Return a text's forms: one, or those of a number."""
    return (text or "",) if text is None or isinstance(text, str) else text


if __name__ == "__main__":
    sys.exit(main())
