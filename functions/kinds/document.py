"""The kind whose implementations are JSON documents."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from functions.errors import Complaint, Refusal
from functions.kinds.document_expansion import find_stale, update_documents
from functions.kinds.document_module import generate_module
from functions.kinds.document_source import InvalidDocument, find_markers, parse_document
from functions.kinds.kind import Checked, Kind
from functions.kinds.python_uses import Use
from functions.models import Function
from functions.names import name_key
from functions.source.markers import Markers
from runner.sandbox import Complaint as Finding

SCHEMA_TEST = """\
import jsonschema


def test_schema():
    # Uses <<{schema}>>.
    jsonschema.validate(data, {schema})
"""


class DocumentKind(Kind):
    """A JSON document, whose links to others are expanded; tests see it as `data`."""

    name, label = "document", gettext_lazy("document")
    language = "json"
    not_callable = gettext_lazy("%(name)s is a document: it is read, not called.")
    panel, is_panel_first, has_signature = "functions/_document.html", True, False
    names_in_tests = ("data",)
    schema_test = SCHEMA_TEST

    def find_markers(self, code: str) -> Markers:
        """Return the names of linked documents and of transforms."""
        return find_markers(code)

    def find_uses(self, code: str, names: Collection[str]) -> Sequence[Use]:  # noqa: ARG002
        """Return nothing: links are the only uses."""
        return ()

    def recognises(self, source: str) -> bool:
        """Whether a text begins as JSON does, and Python doesn't."""
        return source.lstrip()[:1] in {"{", "["}

    def check(self, code: str) -> Checked:
        """Return the first syntax error."""
        if not code.strip():
            return Checked(code, (), is_empty=True)
        try:
            parse_document(code)
        except InvalidDocument as invalid:
            place = {"line": invalid.line, "column": invalid.column}
            finding = Finding(code="syntax_error", message=invalid.message, **place)
            return Checked(code, (finding,), is_empty=False)
        return Checked(code, (), is_empty=False)

    def check_targets(
        self, found: Markers, functions: Mapping[str, Function]
    ) -> Sequence[Complaint]:
        """Return complaints about links to functions, and transforms that are documents."""
        complaints = []
        for marker in found.markers:
            function = functions.get(name_key(marker.name))
            if function is None or (function.kind == self.name) == marker.is_optional:
                continue
            message = (
                _("Line %(line)s: %(name)s is no document, so it can't be linked.")
                if marker.is_optional
                else _("Line %(line)s: %(name)s is a document, so it can't be a transform.")
            ) % {"line": marker.line, "name": function.name}
            place = (marker.line, marker.column + 1)
            complaints.append(Complaint("code", "invalid_link", message, *place))
        return complaints

    def format(self, code: str) -> str:
        """Return the document with one member a line."""
        try:
            value = parse_document(code)
        except InvalidDocument as invalid:
            message = _("Line %(line)s: %(message)s.")
            message %= {"line": invalid.line, "message": invalid.message}
            raise Refusal(
                "syntax_error", message, field="code", line=invalid.line, column=invalid.column
            ) from None
        return json.dumps(value, ensure_ascii=False, indent=2) + "\n"

    def generate_module(self, name: str, code: str) -> str:
        """Return a module that defines the expanded document."""
        return generate_module(name, code)

    def begin_implementation(self, name: str, *, parameters: str, docstring: str) -> str:  # noqa: ARG002
        """Return a document with one field."""
        return '{\n  "name": "…"\n}\n'

    def begin_test(self, name: str, *, arguments: str, returns: str) -> str:  # noqa: ARG002
        """Return a test of one field."""
        return 'def test_one_case():\n    assert data["name"] == ...\n'

    def record_elections(self, function_ids: Sequence[int]) -> None:
        """Keep the expanded documents."""
        update_documents(function_ids)

    def find_differences(self, function_ids: Sequence[int]) -> Iterator[str]:
        """Yield documents that are not what their elections and links give."""
        for name in find_stale(function_ids):
            yield f"{name}: the stored document is not the current one with its links expanded"
