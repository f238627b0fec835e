def test_other_text():
    page = render(query={"n": '"><b>bold'})
    assert page.select("[role=alert]")[0].text == '"><b>bold is neither.'
    assert page.select("input")[0]["value"] == '"><b>bold'
    assert not page.select("b")
