"""Templates: what each instruction makes, what is refused, and how."""

from typing import Any

import pytest
from hypothesis import given

from functions.errors import Refusal
from functions.json_data.mapping import parse_mapping
from functions.json_data.values import are_equal
from tests.functions.json_data.strategies import json_values

PERSON = {
    "first_name": "Ada",
    "address": {"city": "London", "odd name": 1},
    "labels": [{"text": "maths"}, {"text": "engines", "rank": 1}],
    "nothing": None,
    "price": "$5",
}


@pytest.mark.parametrize(
    ("definition", "output"),
    [
        ("$", PERSON),
        ({"name": "$.first_name", "in": {"city": "$.address.city"}},
         {"name": "Ada", "in": {"city": "London"}}),
        ({"zip": {"$from": "$.address.zip", "$default": "unknown"}}, {"zip": "unknown"}),
        ({"zip": {"$from": "$.zip", "$default": "$.address.city"}}, {"zip": "London"}),
        ({"zip": {"$from": "$.zip", "$optional": True}, "is": 1}, {"is": 1}),
        ({"none": {"$from": "$.nothing", "$default": 1}}, {"none": None}),
        ({"tags": {"$each": "$.labels", "$as": {"label": "$.text", "of": "$root.first_name"}}},
         {"tags": [{"label": "maths", "of": "Ada"}, {"label": "engines", "of": "Ada"}]}),
        ({"ranks": {"$each": "$.labels", "$as": {"$from": "$.rank", "$optional": True}}},
         {"ranks": [1]}),
        ({"tags": {"$each": "$.tags", "$default": []}}, {"tags": []}),
        ({"$pick": ["first_name", "nothing", "age"]}, {"first_name": "Ada", "nothing": None}),
        ({"$pick": ["city"], "$of": "$.address"}, {"city": "London"}),
        ({"$merge": [{"$pick": ["price"]}, {"city": "$.address.city", "price": 5}]},
         {"price": 5, "city": "London"}),
        (["$.labels[0].text", '$.address["odd name"]', "$.labels[-1].rank"], ["maths", 1, 1]),
        ({"$$key": "$$5", "money": {"$value": {"$from": "no path"}}},
         {"$key": "$5", "money": {"$from": "no path"}}),
        ({"key": "Ada", "n": [1, 2.5, True, None]}, {"key": "Ada", "n": [1, 2.5, True, None]}),
    ],
)  # fmt: skip
def test_a_template_makes_its_output(definition: Any, output: Any) -> None:
    assert are_equal(parse_mapping(definition).apply(PERSON), output)


@pytest.mark.parametrize(
    ("definition", "said"),
    [
        ({"a": {"b": "$.c d"}}, 'At a.b: "$.c d" is no path.'),
        ({"a": ["$", "$x"]}, 'At a[1]: "$x" is no path.'),
        ({"a": {"$form": "$.x"}}, "At a: $form is no instruction; there are $from,"),
        ({"$from": "$.x", "defalt": 1}, "defalt can't stand beside $from."),
        ({"$each": "$.x", "$as": {"$from": 1}}, "At $as: 1 is no path."),
        ({"$pick": "x"}, "“$pick” is a list of names"),
        ({"$merge": {}}, "“$merge” is a list"),
        ({"$from": "$.x", "$optional": 1}, "“$optional” is true or false."),
        ("x" * 30_000, "This has 30,002 bytes as JSON; the limit is 20,480."),
    ],
)
def test_a_wrong_definition_is_refused_with_its_place(definition: Any, said: str) -> None:
    with pytest.raises(Refusal) as refused:
        parse_mapping(definition)
    assert refused.value.message.startswith(said)
    assert refused.value.field == "definition"


def test_a_definition_that_is_too_deep_is_refused() -> None:
    deep: Any = 1
    for _ in range(21):
        deep = [deep]
    with pytest.raises(Refusal, match="at most 20 levels deep"):
        parse_mapping(deep)


@pytest.mark.parametrize(
    ("definition", "said"),
    [
        ({"a": "$.zip"}, "At a: The document has nothing at $.zip."),
        ({"a": {"$each": "$.address"}}, "At a: $.address is no list;"),
        ({"a": {"$each": "$.zip"}}, "At a: The document has nothing at $.zip."),
        ({"$pick": ["a"], "$of": "$.labels"}, "$.labels is no object;"),
        ({"$merge": [{}, "$.labels"]}, "At $merge[1]: Only objects can be merged;"),
    ],
)
def test_a_document_that_does_not_fit_is_refused(definition: Any, said: str) -> None:
    with pytest.raises(Refusal) as refused:
        parse_mapping(definition).apply(PERSON)
    assert (refused.value.code, refused.value.field) == ("mapping_failed", "value")
    assert refused.value.message.startswith(said)


EVERY = "$root.items"


@pytest.mark.parametrize(
    ("definition", "code"),
    [
        ({"$each": EVERY, "$as": "$root"}, "too_large"),
        ({"$each": EVERY, "$as": {"$each": EVERY, "$as": {"$merge": []}}}, "too_many_steps"),
        ({"$each": EVERY, "$as": {"$each": EVERY, "$as": {"$from": "$.x", "$optional": True}}},
         "too_many_steps"),
        ({"$each": EVERY, "$as": {"$pick": ["x"] * 3_000, "$of": "$root"}}, "too_many_steps"),
    ],
)  # fmt: skip
def test_output_and_steps_are_limited(definition: Any, code: str) -> None:
    with pytest.raises(Refusal) as refused:
        parse_mapping(definition).apply({"items": list(range(2_000))})
    assert refused.value.code == code


@given(json_values(), json_values())
def test_any_definition_is_refused_or_applied_and_changes_no_document(
    definition: Any, document: Any
) -> None:
    before = repr(document)
    # Without instructions the output is the definition.
    assert are_equal(parse_mapping({"$value": definition}).apply(document), definition)
    assert are_equal(parse_mapping(definition).apply(document), definition)
    assert repr(document) == before
