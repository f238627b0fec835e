"""Definitions: what is refused, with which complaint; and the examples of the documentation."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from functions.document_views.contributions import contribution_of
from functions.document_views.definition import parse_definition
from functions.document_views.evaluation import evaluate
from functions.errors import Refusal

DOCUMENT = Path(__file__).resolve().parents[3] / "docs/document-views.md"
JOIN = {"join": ["a:x", "a:y"], "on": ["id", "x"]}


@pytest.mark.parametrize(
    ("definition", "codes"),
    [
        ([], ["invalid_definition", "no_source"]),
        ({}, ["no_source"]),
        ({"from": 7}, ["invalid_source"]),
        ({"from": "a", "join": ["a", "b"], "on": ["x", "y"]}, ["no_source"]),
        ({"from": "a", "fields": {}}, ["unknown_key"]),
        ({"from": "a", "on": ["x", "y"]}, ["unknown_key"]),
        ({"join": ["a"], "on": ["x", "y"]}, ["invalid_source"]),
        ({"join": ["a", "a"], "on": ["x", "y"]}, ["invalid_names"]),
        ({"join": ["a", "b"]}, ["invalid_path"]),
        ({"from": "a", "group_by": "x..y"}, ["invalid_path"]),
        ({**JOIN, "group_by": "z.x"}, ["invalid_path"]),
        ({"from": "a", "where": []}, ["invalid_condition"]),
        ({"from": "a", "where": {"x": {"like": "y"}}}, ["invalid_condition"]),
        ({"from": "a", "where": {"x": {"lt": None}}}, ["invalid_condition"]),
        ({"from": "a", "where": {"x": {"in": "y"}}}, ["invalid_condition"]),
        ({"from": "a", "values": {}}, ["invalid_value"]),
        ({"from": "a", "values": {"n": "sum"}}, ["invalid_value"]),
        ({"from": "a", "values": {"n": {"top": 101, "by": "x"}}}, ["invalid_value"]),
        ({"from": "a", "values": {"n": {"top": True, "by": "x"}}}, ["invalid_value"]),
        ({"from": "a", "values": {"n": {"min": "x", "show": "y"}}}, ["invalid_value"]),
        ({"from": "a", "values": {"1": "count"}}, ["invalid_name"]),
        ({"from": "a", "values": {"n": {"sum": 7}, "m": {"max": ""}}}, ["invalid_path"] * 2),
    ],
)
def test_a_definition_that_cannot_be_read_is_refused_with_all_problems(
    definition: Any, codes: list[str]
) -> None:
    with pytest.raises(Refusal) as refused:
        parse_definition(definition)
    assert [one.code for one in refused.value.errors] == codes
    assert {one.field for one in refused.value.errors} == {"definition"}


def test_the_documented_example_gives_the_documented_groups() -> None:
    blocks = re.findall(
        r"```(?:json|http)\n(?:POST [^\n]*\n)?(.*?)```", DOCUMENT.read_text(), re.DOTALL
    )
    posted, records, groups, joined = map(json.loads, blocks)
    definition = parse_definition(posted["definition"])
    contributions = {
        record: contribution
        for record, value in records.items()
        if (contribution := contribution_of(definition, 0, record, value))
    }
    found = {
        json.loads(group): values for group, values in evaluate(definition, [contributions]).items()
    }
    assert found == {group["group"]: group["values"] for group in groups}
    assert parse_definition(joined).is_join
