# A left-leaning red-black tree used as an ordered dictionary.
RED, BLACK = True, False


class Node(object):
    def __init__(self, key, value):
        self.key, self.value = key, value
        self.colour = RED
        self.left = self.right = None


def is_red(node):
    return node is not None and node.colour is RED


class RedBlackMap(object):
    _missing = object()

    def __init__(self, *args, **kwargs):
        self.__root = None
        self.__count = 0
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    @staticmethod
    def __rotate_left(h):
        x = h.right
        h.right = x.left
        x.left = h
        x.colour, h.colour = h.colour, RED
        return x

    @staticmethod
    def __rotate_right(h):
        x = h.left
        h.left = x.right
        x.right = h
        x.colour, h.colour = h.colour, RED
        return x

    @staticmethod
    def __flip(h):
        h.colour = not h.colour
        h.left.colour = not h.left.colour
        h.right.colour = not h.right.colour

    def __setitem__(self, key, value):
        self.__root = self.__put(self.__root, key, value)
        self.__root.colour = BLACK

    def __put(self, h, key, value):
        if h is None:
            self.__count += 1
            return Node(key, value)
        if key < h.key:
            h.left = self.__put(h.left, key, value)
        elif h.key < key:
            h.right = self.__put(h.right, key, value)
        else:
            h.value = value
        if is_red(h.right) and not is_red(h.left):
            h = self.__rotate_left(h)
        if is_red(h.left) and is_red(h.left.left):
            h = self.__rotate_right(h)
        if is_red(h.left) and is_red(h.right):
            self.__flip(h)
        return h

    def get(self, key, default=None):
        node = self.__root
        while node is not None:
            if key < node.key:
                node = node.left
            elif node.key < key:
                node = node.right
            else:
                return node.value
        return default

    def __getitem__(self, key):
        value = self.get(key, self._missing)
        if value is self._missing:
            raise KeyError(key)
        return value

    def __contains__(self, key):
        return self.get(key, self._missing) is not self._missing

    def __len__(self):
        return self.__count

    def items(self):
        stack, node = [], self.__root
        while stack or node is not None:
            while node is not None:
                stack.append(node)
                node = node.left
            node = stack.pop()
            yield node.key, node.value
            node = node.right

    def __iter__(self):
        return (key for key, _ in self.items())

    def black_height(self):
        """Check the rules of the colours; return the number of black levels."""
        def check(h):
            if h is None:
                return 1
            assert not is_red(h.right), "a red link leans right"
            assert not (is_red(h) and is_red(h.left)), "two reds in a row"
            left, right = check(h.left), check(h.right)
            assert left == right, "uneven blacks"
            return left + (h.colour is BLACK)
        return check(self.__root)


m = RedBlackMap({"b": 2, "a": 1}, c=3)
assert list(m.items()) == [("a", 1), ("b", 2), ("c", 3)]
assert m["a"] == 1 and "z" not in m
m["a"] += 10
assert m["a"] == 11 and len(m) == 3
try:
    m["nope"]
except KeyError as err:
    assert str(err) == "'nope'"

numbers = RedBlackMap()
for i in range(500):
    numbers[(i * 37) % 500] = i
assert len(numbers) == 500
assert list(numbers) == sorted(range(500))
assert 5 <= numbers.black_height() <= 10
assert not hasattr(numbers, "__root")
print("black height: %d of %d keys" % (numbers.black_height(), len(numbers)))
