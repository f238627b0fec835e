"""Uses of names in templates of pages."""

import pytest

from functions.kinds.page_uses import find_uses


@pytest.mark.parametrize(
    ("template", "count"),
    [
        ("{# <<Add>> #}{{ Add(1, 2) }} Add <b>Add</b>", 1),
        ("{{ 'Add' }}{{ x.Add }}{{ x|Add }}{% if x is Add %}{% endif %}", 0),
        ("{% if Add(1) > Add(2) %}{% endif %}", 2),
        ("{% for x in Add(3) %}{{ f(Add=1, a=Add) }}{% endfor %}", 2),
        ("{% for Add in x %}{{ Add }}{% endfor %}", 0),
        ("{% set Add = 1 %}{{ Add }}", 0),
        ("{% set x = Add(1) %}{{ x }}", 1),
        ("{% macro f(Add) %}{{ Add }}{% endmacro %}", 0),
        ("{% raw %}{{ Add }}{% endraw %}", 0),
        ("{{ Add", 0),
    ],
)
def test_a_name_is_used_in_expressions_and_statements(template: str, count: int) -> None:
    uses = find_uses(template, {"Add"})
    assert [template[use.start : use.end] for use in uses] == ["Add"] * count
