def test_result():
    page = render(query={"quantity": "temperature", "value": "20", "from": "°C", "to": "°F"})
    assert page.status == 200
    assert page.select("output")[0].text == "20 °C = 68 °F"
    assert page.select("table tr")[-1].text == "kelvins 293.15 K"
    assert page.select("svg[role=img]")[0]["aria-label"] == "°F for °C"
    assert page.data["result"] == "68"


def test_first_visit():
    page = render()
    assert page.select("output strong")[0].text == "0.6213712 mi"
    assert not page.select("[role=alert]")
