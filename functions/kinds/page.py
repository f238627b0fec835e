"""The kind whose implementations are web pages: Jinja2 templates that call their dependencies."""

from collections.abc import Collection, Sequence

from django.utils.translation import gettext_lazy as _

from functions.kinds.collection_reads import CollectionRead
from functions.kinds.kind import Kind
from functions.kinds.page_source import find_markers, find_reads
from functions.kinds.page_uses import find_uses
from functions.kinds.python_uses import Use
from functions.source.markers import Markers
from runner.sandbox import PAGE


class PageKind(Kind):
    """A Jinja2 template of HTML, rendered in the sandbox; tests see it as `render(...)`."""

    name, label = "page", _("page")
    language = "jinja"
    not_callable = _(
        "%(name)s is a page: open it at /p/%(name)s/, or define a function that uses "
        "<<%(name)s>> and returns its text."
    )
    panel, has_signature = "functions/_page.html", False
    has_exports, has_preview = False, True
    names_in_tests = ("render",)

    def find_markers(self, code: str) -> Markers:
        """Return the names in comments of the template."""
        return find_markers(code)

    def find_uses(self, code: str, names: Collection[str]) -> Sequence[Use]:
        """Return the names that expressions and statements use."""
        return find_uses(code, names)

    def find_reads(self, code: str) -> Sequence[CollectionRead]:
        """Return what comments of the template declare."""
        return find_reads(code)

    def recognises(self, source: str) -> bool:
        """Whether a text begins as HTML or Jinja2 does, and neither Python nor JSON."""
        return source.lstrip().startswith(("<", "{%", "{{", "{#"))

    def format(self, code: str) -> str:
        """Return the template without spaces at line ends."""
        return "\n".join(line.rstrip() for line in code.splitlines()) + "\n"

    def generate_module(self, name: str, code: str) -> str:  # noqa: ARG002
        """Return the template as the sandbox takes it."""
        return PAGE + code

    def begin_implementation(self, name: str, *, parameters: str, docstring: str) -> str:  # noqa: ARG002
        """Return a page with a heading, and a field that it shows."""
        return (
            '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width">\n'
            f"<title>{name}</title>\n<h1>{name}</h1>\n"
            '<p>Hello, {{ query.name or "world" }}!</p>\n</html>\n'
        )

    def begin_test(self, name: str, *, arguments: str, returns: str) -> str:  # noqa: ARG002
        """Return a test of one element."""
        return (
            'def test_one_case():\n    page = render(query={"name": "Ada"})\n'
            '    assert page.status == 200\n    assert page.select("h1")[0].text == ...\n'
        )
