from collections import deque


class Stack(deque):
    """The left end is the top; nobody has looked at what it is made of."""

    def push(self, item):
        self.appendleft(item)

    def pop(self):
        return self.popleft()

    def top(self):
        return self[0]
