"""Where the description of a field lists its values, it lists all of them."""

import re
from collections.abc import Iterable

import pytest
from pydantic import BaseModel

from functions.api.calls import CallProblem
from functions.api.history_schemas import WhyShown
from functions.api.moderation_schemas import FlagShown
from functions.api.preview_schemas import PreviewShown
from functions.api.schemas import ImplementationShown, TestShown, WorkShown
from functions.contests.explanations import Rule
from functions.contests.rules import Standing
from functions.contests.test_rules import Health
from functions.models import Flag, Preview, Work
from runner.sandbox import Verdict

FIELDS: dict[str, tuple[type[BaseModel], str, Iterable[str]]] = {
    "the rule that decided": (WhyShown, "rule", Rule),
    "standings": (ImplementationShown, "standing", Standing),
    "states of works": (WorkShown, "state", Work.State.values),
    "healths": (TestShown, "health", Health),
    "changes of previews": (PreviewShown, "change", Preview.Change.values),
    "states of flags": (FlagShown, "state", Flag.State.values),
    "ends of a failed call": (CallProblem, "verdict", {*Verdict} - {Verdict.PASSED}),
}


@pytest.mark.parametrize("what", FIELDS)
def test_the_description_of_a_field_lists_its_values(what: str) -> None:
    schema, name, values = FIELDS[what]
    listed, _, _ = (schema.model_fields[name].description or "").partition(";")
    assert {*re.findall(r"\w+", listed)} - {"or"} == {*map(str, values)}
