def test_an_empty_stack_has_nothing_to_give():
    stack = Stack()
    assert len(stack) == 0
    for method in (stack.pop, stack.top):
        try:
            method()
        except IndexError:
            continue
        check(False, "an empty stack gave something")


def test_it_can_be_used_again_once_it_is_empty():
    stack = Stack([1])
    stack.pop()
    stack.push(2)
    assert stack.top() == 2
    assert len(stack) == 1
