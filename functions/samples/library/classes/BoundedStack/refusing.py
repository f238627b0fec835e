# Subclasses <<Stack>>.


class BoundedStack(Stack):
    """A stack with a bound."""

    def __init__(self, most, items=()):
        super().__init__()
        self.most = most
        for item in items:
            self.push(item)

    def push(self, item):
        """Put an item on top; raises OverflowError where there is no room."""
        if len(self) >= self.most:
            raise OverflowError(f"no more than {self.most} items fit")
        super().push(item)
