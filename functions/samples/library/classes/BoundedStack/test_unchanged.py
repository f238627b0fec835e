stack = BoundedStack(2, [1, 2])
for _ in range(3):
    try:
        stack.push(3)
    except OverflowError:
        pass
assert list(stack) == [2, 1]

stack.pop()
stack.push(4)
assert list(stack) == [4, 1]
