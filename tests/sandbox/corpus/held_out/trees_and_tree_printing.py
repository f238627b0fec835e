class BinarySearchTree:
    class Node:
        __slots__ = "key", "value", "left", "right"

        def __init__(self, key, value):
            self.key, self.value = key, value
            self.left = self.right = None

    def __init__(self, items=()):
        self._root = None
        self._size = 0
        for k in items:
            self.insert(k, k)

    def insert(self, key, value=None):
        self._root = self.__insert(self._root, key, value)

    def __insert(self, node, key, value):
        if node is None:
            self._size += 1
            return self.Node(key, value)
        if key < node.key:
            node.left = self.__insert(node.left, key, value)
        elif key > node.key:
            node.right = self.__insert(node.right, key, value)
        else:
            node.value = value
        return node

    def delete(self, key):
        def drop(node, key):
            if node is None:
                raise KeyError(key)
            if key < node.key:
                node.left = drop(node.left, key)
            elif key > node.key:
                node.right = drop(node.right, key)
            elif node.left is None or node.right is None:
                return node.left or node.right
            else:
                succ = node.right
                while succ.left:
                    succ = succ.left
                node.key, node.value = succ.key, succ.value
                node.right = drop(node.right, succ.key)
            return node
        self._root = drop(self._root, key)
        self._size -= 1

    def height(self):
        h = lambda n: 0 if n is None else 1 + max(h(n.left), h(n.right))
        return h(self._root)

    def traverse(self, order="in"):
        def walk(n):
            if n:
                if order == "pre": yield n.key
                yield from walk(n.left)
                if order == "in": yield n.key
                yield from walk(n.right)
                if order == "post": yield n.key
        return list(walk(self._root))

    def range(self, lo, hi):
        stack, node = [], self._root
        while stack or node:
            while node:
                stack.append(node)
                node = node.left
            node = stack.pop()
            if lo <= node.key < hi:
                yield node.key
            node = node.right

    def __len__(self):
        return self._size

    def __contains__(self, key):
        n = self._root
        while n and n.key != key:
            n = n.left if key < n.key else n.right
        return n is not None

    def __str__(self):
        lines = []

        def show(node, prefix="", tail=True, label=""):
            lines.append(prefix + ("└── " if tail else "├── ") + label + str(node.key))
            kids = [(l, k) for l, k in (("L:", node.left), ("R:", node.right)) if k]
            for i, (l, k) in enumerate(kids):
                show(k, prefix + ("    " if tail else "│   "), i == len(kids) - 1, l)
        if self._root:
            show(self._root)
        return "\n".join(lines)


def draw_directory(tree, indent=""):
    for i, (name, sub) in enumerate(sorted(tree.items())):
        last = i == len(tree) - 1
        print(indent + ("`-- " if last else "|-- ") + name)
        if sub:
            draw_directory(sub, indent + ("    " if last else "|   "))


t = BinarySearchTree([50, 30, 70, 20, 40, 60, 80, 65])
print(t)
assert len(t) == 8 and t.height() == 4 and 65 in t and 66 not in t
assert t.traverse() == sorted(t.traverse("pre")) and t.traverse("post")[-1] == 50
t.delete(50)
assert t._root.key == 60 and len(t) == 7 and t.traverse("pre")[:3] == [60, 30, 20]
t.delete(20); t.delete(30)
assert t.traverse() == [40, 60, 65, 70, 80] and list(t.range(60, 80)) == [60, 65, 70]
try:
    t.delete(999)
except KeyError as e:
    print("missing", e)
paths = ["src/app/main.py", "src/app/util.py", "src/README", "docs/index.md"]
root = {}
for p in paths:
    d = root
    for part in p.split("/"):
        d = d.setdefault(part, {})
draw_directory(root)
assert list(root) == ["src", "docs"] and str(BinarySearchTree()) == ""
