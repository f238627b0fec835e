"""What was found in code by those who check it."""

from dataclasses import dataclass

from functions.errors import Complaint
from functions.errors import gettext as _
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
