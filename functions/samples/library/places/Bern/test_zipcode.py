def test_zipcode():
    assert isinstance(data["zipcode"], str)
    assert len(data["zipcode"]) == 4 and data["zipcode"].isdigit()
