stack = Stack(["bottom", "middle", "top"])
assert list(stack) == ["top", "middle", "bottom"]
assert list(stack) == ["top", "middle", "bottom"]
assert len(stack) == 3
assert "middle" in stack
assert "side" not in stack
