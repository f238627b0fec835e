class Stack:
    """Items on top of each other."""

    def __init__(self, items=()):
        self._items = list(items)

    def push(self, item):
        """Put an item on top."""
        self._items.append(item)

    def pop(self):
        """Take the top item away; raises IndexError."""
        return self._items.pop()

    def top(self):
        """Return the top item; raises IndexError."""
        return self._items[-1]

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return reversed(self._items)

    def __eq__(self, other):
        return isinstance(other, Stack) and self._items == other._items

    def __repr__(self):
        return f"Stack({self._items!r})"
