class JSONMixin:
    def to_json(self):
        import json
        return json.dumps(self.to_dict(), sort_keys=True)


class DictMixin:
    def to_dict(self):
        return self._traverse_dict(self.__dict__)

    def _traverse_dict(self, attrs):
        return {k: self._traverse(v) for k, v in attrs.items() if not k.startswith("_")}

    def _traverse(self, value):
        if isinstance(value, DictMixin):
            return value.to_dict()
        if isinstance(value, dict):
            return self._traverse_dict(value)
        if isinstance(value, list):
            return [self._traverse(v) for v in value]
        if hasattr(value, "__dict__"):
            return self._traverse_dict(value.__dict__)
        return value


class ReprMixin:
    def __repr__(self):
        args = ", ".join(f"{k}={v!r}" for k, v in vars(self).items() if k[0] != "_")
        return f"{self.__class__.__qualname__}({args})"


class EqMixin:
    def __eq__(self, other):
        return self.__class__ is other.__class__ and vars(self) == vars(other)

    def __ne__(self, other):
        return not self == other

    __hash__ = None


class ComparableMixin:
    def _cmpkey(self):
        raise NotImplementedError

    for _op in ("lt", "le", "gt", "ge"):
        exec if False else None

    def __lt__(self, o): return self._cmpkey() < o._cmpkey()
    def __le__(self, o): return self._cmpkey() <= o._cmpkey()
    def __gt__(self, o): return self._cmpkey() > o._cmpkey()
    def __ge__(self, o): return self._cmpkey() >= o._cmpkey()


class Tree(ReprMixin, EqMixin, JSONMixin, DictMixin):
    def __init__(self, value, left=None, right=None):
        self.value = value
        self.left = left
        self.right = right
        self._cache = {}


class Team(ComparableMixin, ReprMixin):
    def __init__(self, name, points, goals=0):
        self.name, self.points, self.goals = name, points, goals

    def _cmpkey(self):
        return self.points, self.goals


class Base:
    def __init__(self, **kw):
        self.log = ["Base"]
        assert not kw, kw


class A(Base):
    def __init__(self, a, **kw):
        super().__init__(**kw)
        self.log.append(f"A{a}")

    def who(self): return "A"


class B(Base):
    def __init__(self, b=0, **kw):
        super().__init__(**kw)
        self.log.append(f"B{b}")

    def who(self): return "B" + super().who() if hasattr(super(), "who") else "B"


class C(A, B):
    def __init__(self, **kw):
        super().__init__(**kw)
        self.log.append("C")

    def who(self):
        return "C" + A.who(self) + super(A, self).who()


t = Tree(10, Tree(7), Tree(15, right=[1, {"k": Tree(3)}]))
print(t.to_json())
assert t.to_dict()["right"]["right"][1]["k"]["value"] == 3
assert t == Tree(10, Tree(7), Tree(15, right=[1, {"k": Tree(3)}])) and t != Tree(10)
print(Tree(1, 2))
teams = [Team("x", 3, 9), Team("y", 6), Team("z", 3, 12)]
print(sorted(teams, reverse=True))
assert max(teams).name == "y" and teams[0] < teams[2] and teams[0] >= teams[0]
c = C(a=1, b=2)
print(c.log, c.who(), [k.__name__ for k in C.mro()])
assert c.log == ["Base", "B2", "A1", "C"] and c.who() == "CAB"
try:
    class Impossible(Base, A):
        pass
except TypeError as e:
    print(str(e).splitlines()[0])
try:
    hash(t)
except TypeError as e:
    print(e)
Point = type("Point", (ReprMixin, EqMixin), {"__init__": lambda self, x, y: self.__dict__.update(x=x, y=y)})
assert repr(Point(1, 2)) == "Point(x=1, y=2)" and Point(1, 2) == Point(1, 2)
assert C.__bases__ == (A, B) and isinstance(c, B) and not isinstance(c, EqMixin)
