def test_numbers():
    page = render(query={"n": " 1994 "})
    assert page.status == 200
    assert [each.text for each in page.select("output")] == ["MCMXCIV"]


def test_numerals():
    assert render(query={"n": "xiv"}).select("output")[0].text == "14"


def test_nothing():
    page = render()
    assert not page.select("output, [role=alert]")
    assert page.select("form input")[0]["name"] == "n"
