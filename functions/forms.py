"""Forms. Rules are checked by use cases, whose refusals are shown beside the fields."""

from collections.abc import Iterable, Mapping
from typing import Any, Self, cast

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from functions.errors import Complaint, Refusal
from functions.models import Digest, Flag, Function
from functions.names import MAX_NAME_LENGTH
from functions.source.validation import MAX_SOURCE_BYTES

MAX_TITLE_LENGTH = 120
MAX_REASON_LENGTH = 500


class RefusableForm(forms.Form):
    """A form that can show the refusal of a use case."""

    def add_refusal(self, refusal: Refusal) -> None:
        """Add each complaint to its field."""
        for complaint in refusal.errors:
            field = complaint.field if complaint.field in self.fields else None
            self.add_error(field, with_line(complaint))


class CheckBoxes(forms.CheckboxSelectMultiple):
    """Checkboxes, of which a link to the field leads to the first."""

    def id_for_label(self, id_: str, index: str | None = None) -> str:
        return super().id_for_label(id_, index or "0")


def with_line(complaint: Complaint) -> str:
    """Return a complaint's message, which names its line."""
    if not complaint.line:
        return complaint.message
    named = {"line": complaint.line, "message": complaint.message}
    whole = gettext("Line %(line)s: %(message)s") % named
    word = whole.partition(str(complaint.line))[0]
    return complaint.message if complaint.message.startswith(word) else whole


def _attributes(**attributes: str | Promise) -> dict[str, Any]:
    return {"autocomplete": "off", "spellcheck": "false", **attributes}


class DefinitionForm(RefusableForm):
    """A function's signature and description."""

    signature = forms.CharField(
        label=_("Signature"),
        required=False,
        max_length=Function._meta.get_field("signature").max_length,  # noqa: SLF001 - Django's documented interface
        widget=forms.TextInput(
            _attributes(**{"class": "code"}, placeholder="(a: int, b: int) -> int")
        ),
        help_text=_("Parameters and result, as in Python. A result type of plain data is checked."),
    )
    description = forms.CharField(
        label=_("Description"),
        required=False,
        strip=False,
        widget=forms.Textarea({"rows": 6}),
        help_text=_("What it does, in Markdown. The first line is shown in lists."),
    )


class FunctionForm(DefinitionForm):
    """A new function."""

    field_order = ("name", "kind", "signature", "description")

    name = forms.CharField(
        label=_("Name"),
        max_length=MAX_NAME_LENGTH,
        widget=forms.TextInput(_attributes(**{"class": "code"}, placeholder="Multiply")),
        help_text=_(
            "The name that code uses: letters, digits and underscores. "
            "It can be changed until something published uses it."
        ),
    )
    kind = forms.ChoiceField(
        label=_("Kind"),
        required=False,
        help_text=_(
            "What implementations define under this name; it can't be changed later. The "
            "signature of a class is that of its constructor; the description explains its methods."
        ),
    )

    def __init__(self, *args: Any, kinds: Iterable[tuple[str, Any]], **kwargs: Any) -> None:
        """Take the names and labels of kinds; the first one is the default."""
        super().__init__(*args, **kwargs)
        choice = cast("forms.ChoiceField", self.fields["kind"])
        choice.choices = [*kinds]
        choice.initial = choice.choices[0][0]

    def clean_kind(self) -> str:
        """Return the default if none is given."""
        return str(self.cleaned_data["kind"] or self.fields["kind"].initial)


class CloneForm(RefusableForm):
    """The name of a clone."""

    name = forms.CharField(
        label=_("Name"),
        max_length=MAX_NAME_LENGTH,
        widget=forms.TextInput(_attributes(**{"class": "code"})),
        help_text=_("The clone's name: letters, digits and underscores."),
    )


class RenameForm(RefusableForm):
    """A function's new name."""

    name = forms.CharField(
        label=_("New name"),
        max_length=MAX_NAME_LENGTH,
        widget=forms.TextInput(_attributes(**{"class": "code"})),
    )


class ReceiverForm(RefusableForm):
    """The new owner of a function."""

    to = forms.CharField(
        label=_("New owner"), max_length=150, widget=forms.TextInput(_attributes())
    )


class ReasonForm(RefusableForm):
    """The public reason of an action."""

    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        max_length=MAX_REASON_LENGTH,
        widget=forms.TextInput(_attributes()),
    )


class FlagForm(RefusableForm):
    """The reason of a flag."""

    reason = forms.CharField(
        label=_("What is wrong with it?"),
        max_length=MAX_REASON_LENGTH,
        widget=forms.Textarea({"rows": 4}),
    )


class ResolutionForm(forms.Form):
    """The resolution of a flag."""

    outcome = forms.ChoiceField(
        label=_("Outcome"),
        choices=[(state.value, state.label) for state in (Flag.State.UPHELD, Flag.State.DISMISSED)],
    )
    note = forms.CharField(label=_("Note"), max_length=MAX_REASON_LENGTH)


class WorkForm(RefusableForm):
    """The code of a draft, which need not be valid yet."""

    title = forms.CharField(
        label=_("Title"),
        required=False,
        max_length=MAX_TITLE_LENGTH,
        help_text=_("What is particular about it, in a few words."),
        widget=forms.TextInput(_attributes()),
    )
    code = forms.CharField(
        label=_("Code"),
        required=False,
        strip=False,
        widget=forms.Textarea(_attributes(**{"class": "code"}, rows="20")),
    )
    version = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)
    language = forms.CharField(required=False, max_length=16, widget=forms.HiddenInput)

    def clean_code(self) -> str:
        """Normalise line ends, which browsers send as CRLF."""
        code: str = self.cleaned_data["code"]
        return code.replace("\r\n", "\n").replace("\r", "\n")


class ImportForm(RefusableForm):
    """A Python module with its tests; an uploaded file replaces the text of its field."""

    module = forms.CharField(
        label=_("Module"),
        strip=False,
        widget=forms.Textarea(_attributes(**{"class": "code"}, rows="14")),
        help_text=_("Functions at its top level, without an underscore, or those in __all__."),
    )
    module_file = forms.FileField(required=False, label=_("… or a file"))
    tests = forms.CharField(
        label=_("Tests"),
        required=False,
        strip=False,
        widget=forms.Textarea(_attributes(**{"class": "code"}, rows="14")),
        help_text=_(
            "Functions whose names begin with test_. Each goes to the function that it uses."
        ),
    )
    tests_file = forms.FileField(required=False, label=_("… or a file of tests"))

    @classmethod
    def of_upload(cls, typed: Mapping[str, str], files: Mapping[str, Any]) -> Self:
        """Return the form with the text of uploaded files in their fields."""
        texts = {name: typed.get(name, "") for name in ("module", "tests")}
        wrong = {}
        for name in texts:
            if file := files.get(f"{name}_file"):
                content = file.read(MAX_SOURCE_BYTES + 1)
                try:
                    texts[name] = content.decode("utf-8-sig")
                except UnicodeDecodeError:
                    wrong[f"{name}_file"] = gettext("This file is too large or not text in UTF-8.")
        form = cls(texts)
        for name, message in wrong.items():
            form.add_error(name, message)
        return form

    @property
    def typed(self) -> dict[str, str]:
        """The texts to import, with line feeds as line ends."""
        texts = {name: self.cleaned_data[name] for name in ("module", "tests")}
        return {
            name: text.replace("\r\n", "\n").replace("\r", "\n") for name, text in texts.items()
        }


class AcceptanceForm(RefusableForm):
    """The code of an acceptance test."""

    title = forms.CharField(
        label=_("Title"),
        required=False,
        max_length=MAX_TITLE_LENGTH,
        widget=forms.TextInput(_attributes()),
    )
    code = forms.CharField(
        label=_("Code"),
        required=False,
        strip=False,
        widget=forms.Textarea(_attributes(**{"class": "code"}, rows="16")),
        help_text=_("Asserts about the dependency, as in any test."),
    )

    def clean_code(self) -> str:
        """Normalise line ends, which browsers send as CRLF."""
        code: str = self.cleaned_data["code"]
        return code.replace("\r\n", "\n").replace("\r", "\n")


class AcceptanceDraftForm(AcceptanceForm):
    """A draft of an acceptance test, with the version that was opened."""

    version = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)


class NewAcceptanceForm(AcceptanceForm):
    """A new acceptance test."""

    field_order = ("target", "title", "code")

    target = forms.CharField(
        label=_("Function"),
        max_length=MAX_NAME_LENGTH,
        widget=forms.Select,
        help_text=_("One that this function depends on."),
    )

    def __init__(self, *args: Any, targets: Iterable[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Offered, not enforced: the use case validates the target.
        self.fields["target"].widget.choices = [(name, name) for name in targets]


class VoteForm(forms.Form):
    """A vote up or down, or its withdrawal."""

    value = forms.TypedChoiceField(
        choices=[(value, value) for value in ("1", "0", "-1")], coerce=int
    )


class JudgementForm(forms.Form):
    """The owner's judgement of a work."""

    VERDICTS = {"accept": True, "reject": False, "clear": None}

    verdict = forms.ChoiceField(choices=[(name, name) for name in VERDICTS])
    reason = forms.CharField(label=_("Reason"), required=False, max_length=MAX_REASON_LENGTH)

    @property
    def acceptable(self) -> bool | None:
        return self.VERDICTS[self.cleaned_data["verdict"]]


class CommentForm(RefusableForm):
    """The text of a comment; the use case checks its length, and the form keeps the text."""

    text = forms.CharField(
        label=_("Comment"),
        required=False,
        strip=False,
        widget=forms.Textarea({"rows": 3}),
        help_text=_("Markdown. &lt;&lt;Name&gt;&gt; links to a function."),
    )

    def clean_text(self) -> str:
        """Normalise line ends, which browsers send as CRLF."""
        text: str = self.cleaned_data["text"]
        return text.replace("\r\n", "\n").replace("\r", "\n")


class HidingForm(RefusableForm):
    """The reason for hiding a comment."""

    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        help_text=_("Everybody sees it."),
        widget=forms.TextInput(_attributes(placeholder=_("Reason"))),
    )


class DigestForm(RefusableForm):
    """Frequency and address of digests."""

    frequency = forms.ChoiceField(label=_("Digest"), choices=Digest.Frequency.choices)
    address = forms.CharField(
        label=_("Address"),
        required=False,
        max_length=254,
        widget=forms.EmailInput({"autocomplete": "email"}),
        help_text=_("A new address first gets a mail with a link to confirm it."),
    )
