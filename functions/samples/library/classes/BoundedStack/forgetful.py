# Subclasses <<Stack>>.


class BoundedStack(Stack):
    """Finds out too late."""

    def __init__(self, most, items=()):
        self.most = most
        super().__init__(items)

    def push(self, item):
        super().push(item)
        if len(self) > self.most:
            raise OverflowError("it was one too many")
