def test_it_takes_as_many_as_it_holds():
    stack = BoundedStack(2)
    stack.push("a")
    stack.push("b")
    assert stack.most == 2
    assert list(stack) == ["b", "a"]


def test_one_more_is_refused():
    stack = BoundedStack(1, ["a"])
    try:
        stack.push("b")
    except OverflowError:
        return
    check(False, "a full stack took another item")
