import pytest


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"value": "<b>ten</b>"}, "“<b>ten</b>” is no number."),
        ({"value": "nan"}, "“nan” is no number."),
        ({"value": "1e400"}, "too large"),
        ({"from": "cubits"}, "There is no unit of length “cubits”."),
        ({"quantity": "luck"}, "There is no quantity “luck”."),
    ],
)
def test_message(query, said):
    page = render(query=query)
    assert page.status == 422
    assert said in page.select("[role=alert]")[0].text
    assert not page.select("output, svg, table")
    assert page.select("form input[name=value]")
