def test_languages():
    assert len(set(data["languages"])) == 4
