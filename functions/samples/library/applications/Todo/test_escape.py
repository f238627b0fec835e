def test_text_is_escaped():
    value = {"text": "<script>alert(1)</script>", "done": False}
    page = render(Tasks=[{"id": 1, "version": 1, "author": "ann", "value": value}])
    assert "<script>alert" not in page.text
