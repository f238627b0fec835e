def asked(**form):
    return render(method="POST", form=form).commands


def test_add():
    assert asked(text="  tea ") == [{"add": "Tasks", "value": {"text": "tea", "done": False}}]


def test_blank_text_adds_nothing():
    assert asked(text="  ") == []


def test_finish_and_reopen():
    for value, done in (("true", True), ("false", False)):
        assert asked(done="7", version="2", value=value) == [
            {"change": "Tasks", "id": 7, "version": 2, "patch": {"done": done}}
        ]


def test_delete():
    assert asked(gone="7", version="2") == [{"delete": "Tasks", "id": 7, "version": 2}]


def test_a_visit_changes_nothing():
    assert render().commands == []
