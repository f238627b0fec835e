# Uses <<Stack>>.
assert issubclass(BoundedStack, Stack)

bounded = BoundedStack(10, "xyz")
assert isinstance(bounded, Stack)
assert [bounded.pop(), bounded.top(), len(bounded)] == ["z", "y", 2]
assert bounded == Stack("xy")
