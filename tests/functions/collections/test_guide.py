"""The guide's examples are run, and answered as it says."""

import re
from pathlib import Path

import pytest

from functions.models import Item
from tests.functions.api.conftest import Caller
from tests.support import builders as make

GUIDE = Path(__file__).resolve().parents[3] / "docs/collections.md"
EXAMPLE = re.compile(r"```\n(?P<method>[A-Z]+) (?P<path>\S+)\n(?P<body>[^`]*)→ (?P<found>\d+)\n```")


@pytest.mark.django_db
def test_the_examples_of_the_guide_are_answered_as_it_says() -> None:
    examples = list(EXAMPLE.finditer(GUIDE.read_text("utf-8")))
    assert len(examples) == 9
    mira = Caller(make.user("mira"))
    for example in examples:
        path = example["path"].replace("/r/Books/1/", f"/r/Books/{first_item()}/")
        content = example["body"].strip()
        answer = mira.client.generic(
            example["method"], path, content, "application/json", headers=mira.headers
        )
        if example["method"] == "GET":
            assert len(answer.json()["items"]) == int(example["found"]), example[0]
        else:
            assert answer.status_code == int(example["found"]), example[0]


def first_item() -> int:
    return Item.objects.order_by("id").values_list("pk", flat=True).first() or 0
