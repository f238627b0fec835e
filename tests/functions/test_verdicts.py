"""A verdict of the sandbox has its place wherever verdicts are listed."""

from functions.api.batches import VerdictCounts
from functions.views.labels import LEGEND, LOOKS, RARE, SEVERITY
from runner.models import Result
from runner.sandbox import Verdict
from runner.states import FLAKY
from tests.support.site import ROOT

VERDICTS = {str(verdict) for verdict in Verdict}


def test_each_has_a_label_and_a_look() -> None:
    assert {*VERDICTS, FLAKY} <= LOOKS.keys()
    states = {look.state for look in LOOKS.values()}
    assert states <= {*SEVERITY}
    assert {*LEGEND, "none"} == states
    assert {*RARE} <= LEGEND.keys()


def test_each_is_counted_by_the_api() -> None:
    assert VerdictCounts.model_fields.keys() == {*VERDICTS, FLAKY}


def test_each_is_in_the_glossary() -> None:
    rows = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
    (row,) = [row for row in rows if row.startswith("| **verdict** |")]
    assert {verdict for verdict in VERDICTS if verdict.replace("_", " ") not in row} == set()


def test_each_fits_into_its_column() -> None:
    longest = Result._meta.get_field("verdict").max_length
    assert longest
    assert max(map(len, (*VERDICTS, FLAKY))) <= longest
