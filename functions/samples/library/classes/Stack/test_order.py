def test_what_was_pushed_comes_back_in_reverse():
    stack = Stack()
    for number in range(5):
        stack.push(number)
    assert stack.top() == 4
    assert [stack.pop() for _ in range(5)] == [4, 3, 2, 1, 0]


def test_it_is_made_of_items_pushed_one_after_the_other():
    stack = Stack("abc")
    assert stack.pop() == "c"
    stack.push("d")
    assert [stack.pop(), stack.pop()] == ["d", "b"]
    assert len(stack) == 1
