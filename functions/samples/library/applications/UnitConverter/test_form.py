page = render(query={"quantity": "mass", "value": "1 000", "from": "g", "to": "oz"})


def test_what_was_chosen():
    assert page.select("input[name=value]")[0]["value"] == "1 000"
    assert page.select("input[name=quantity]")[0]["value"] == "mass"
    assert [each["value"] for each in page.select("option[selected]")] == ["g", "oz"]
    assert [each.text for each in page.select("nav a[aria-current]")] == ["Mass"]


def test_swap():
    assert page.select("a.swap")[0]["href"] == "?quantity=mass&value=1%20000&from=oz&to=g"
