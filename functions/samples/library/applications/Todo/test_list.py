def task(number, text, done=False):
    return {"id": number, "version": 1, "author": "ann", "value": {"text": text, "done": done}}


def test_nothing_to_do():
    assert "Nothing to do" in render().select("li")[0].text


def test_tasks_in_order():
    page = render(Tasks=[task(1, "tea"), task(2, "milk", done=True)])
    assert [item.text.split()[0] for item in page.select("li span")] == ["tea", "milk"]
    assert len(page.select("li.done")) == 1
    assert page.data["counts"] == {"open": 1, "done": 1}
