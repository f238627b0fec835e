"""The interface of kinds: how implementations are checked, executed and begun, and what is kept."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from django.utils.functional import Promise

from functions.errors import Complaint
from functions.errors import gettext as _
from functions.kinds.collection_reads import CollectionRead, find_reads
from functions.kinds.python_uses import Use, find_uses
from functions.models import Function
from functions.source.markers import Markers, change_name, find_markers
from functions.source.validation import describe_first
from runner.sandbox import Complaint as Finding


@dataclass(frozen=True, slots=True)
class Checked:
    """The findings about code, of the sandbox's compiler or of its kind."""

    code: str
    findings: tuple[Finding, ...]
    is_empty: bool  # only blanks and comments

    @property
    def syntax_error(self) -> Complaint | None:
        """The first syntax error, with an excerpt and a caret."""
        for found in self.findings:
            if found.code == "syntax_error":
                return self._complaint(found)
        return None

    @property
    def policy_fault(self) -> str:
        """A description of the first thing that the sandbox forbids; empty if nothing."""
        return describe_first(self.findings)

    def _complaint(self, found: Finding) -> Complaint:
        lines = self.code.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        text = lines[found.line - 1] if 0 < found.line <= len(lines) else ""
        caret = " " * min(max(found.column - 1, 0), len(text)) + "^"
        message = _("Line %(line)s: %(message)s.") % {
            "line": found.line,
            "message": found.message,
        }
        place = (found.line, found.column)
        return Complaint("code", "syntax_error", message, *place, excerpt=f"{text}\n{caret}")


class Kind:
    """A kind whose implementations are Python modules; others override what differs.

    Tests are Python modules in every kind.
    """

    name: ClassVar[str]  # also that of `runner.sandbox.Program`
    label: ClassVar[str | Promise]
    language: ClassVar[str] = "python"  # of implementations
    not_callable: ClassVar[str | Promise] = ""  # why no client can call it; has %(name)s
    has_methods: ClassVar[bool] = False
    panel: ClassVar[str] = "functions/_try.html"  # the template of how it is used
    is_panel_first: ClassVar[bool] = False  # above the results
    has_signature: ClassVar[bool] = True
    has_exports: ClassVar[bool] = True  # as Python that runs elsewhere
    has_preview: ClassVar[bool] = False  # an implementation can be looked at while it is written
    names_in_tests: ClassVar[Collection[str]] = ()  # beside the function's own
    # A test that the value fits a JSON Schema, the document {schema}; empty if it can't be one.
    schema_test: ClassVar[str] = ""

    def find_markers(self, code: str) -> Markers:
        """Return the names of other functions in an implementation, in order."""
        return find_markers(code)

    def find_uses(self, code: str, names: Collection[str]) -> Sequence[Use]:
        """Return where an implementation uses these names of other functions, in order."""
        return find_uses(code, names)

    def find_reads(self, code: str) -> Sequence[CollectionRead]:
        """Return the collections whose items an implementation is given when it is called."""
        return find_reads(code)

    def recognises(self, source: str) -> bool:  # noqa: ARG002
        """Whether a text can only be an implementation of this kind."""
        return False

    def change_name(self, code: str, old: str, new: str) -> str:
        """Return the code with another name for a function."""
        return change_name(code, old, new)

    def check(self, code: str) -> Checked | None:  # noqa: ARG002
        """Return what keeps an implementation from being executed; None: ask `analysis.client`."""
        return None

    def check_targets(
        self,
        found: Markers,  # noqa: ARG002
        functions: Mapping[str, Function],  # noqa: ARG002
    ) -> Sequence[Complaint]:
        """Return complaints about names of functions that an implementation can't use.

        `functions` are those that exist, by name key.
        """
        return ()

    def format(self, code: str) -> str | None:  # noqa: ARG002
        """Return an implementation in its canonical form; None: ask `analysis.client`.

        Raises a Refusal if it is invalid.
        """
        return None

    def generate_module(self, name: str, code: str) -> str:  # noqa: ARG002
        """Return the Python module of a valid implementation; empty if that is the code itself."""
        return ""

    def begin_implementation(self, name: str, *, parameters: str, docstring: str) -> str:
        """Return the first code of a draft; `docstring` is an indented line, or empty."""
        raise NotImplementedError

    def begin_test(self, name: str, *, arguments: str, returns: str) -> str:
        """Return the first code of a test, with arguments that fit the signature."""
        raise NotImplementedError

    def record_elections(self, function_ids: Sequence[int]) -> None:
        """Keep what this kind derives from current implementations.

        Called in the transaction that has written their elections, after those of dependencies.
        """

    def find_differences(self, function_ids: Sequence[int]) -> Iterator[str]:  # noqa: ARG002
        """Yield sentences on what is kept of these functions and isn't what it should be."""
        yield from ()
