class Stack:
    """Pairs of an item and what lies below it."""

    def __init__(self, items=()):
        self._pairs = None
        for item in items:
            self.push(item)

    def push(self, item):
        """Put an item on top."""
        self._pairs = (item, self._pairs)

    def pop(self):
        """Take the top item away; raises IndexError."""
        item = self.top()
        self._pairs = self._pairs[1]
        return item

    def top(self):
        """Return the top item; raises IndexError."""
        if self._pairs is None:
            raise IndexError("the stack is empty")
        return self._pairs[0]

    def __len__(self):
        return sum(1 for _ in self)

    def __iter__(self):
        pairs = self._pairs
        while pairs is not None:
            item, pairs = pairs
            yield item

    def __eq__(self, other):
        return isinstance(other, Stack) and list(self) == list(other)

    def __repr__(self):
        return f"Stack({list(self)[::-1]!r})"
