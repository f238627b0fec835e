"""Names, scopes, closures, late binding, default arguments: the classic surprises."""

x = "global"


def outer():
    x = "enclosing"

    def inner():
        nonlocal x
        x = x + "!"
        return x

    return inner, lambda: x


inc, peek = outer()
inc(); inc()
assert peek() == "enclosing!!" and x == "global"


def set_global():
    global x, brand_new
    x, brand_new = "changed", 1


set_global()
assert x == "changed" and brand_new == 1

# late binding
fs = [lambda: i for i in range(3)]
assert [f() for f in fs] == [2, 2, 2]
gs = [lambda i=i: i for i in range(3)]
assert [g() for g in gs] == [0, 1, 2]


def append_to(item, target=[]):
    target.append(item)
    return target


append_to(1)
assert append_to(2) == [1, 2]
assert append_to.__defaults__ == ([1, 2],)


def make_counter():
    count = {"n": 0}          # Python 2 had no nonlocal

    def counter():
        count["n"] += 1
        return count["n"]
    counter.reset = lambda: count.update(n=0)
    return counter


c = make_counter()
c(), c(), c()
assert c() == 4
c.reset()
assert c() == 1
print(sorted(v for v in make_counter().__code__.co_freevars))


def local_error():
    try:
        print(y)
        y = 1
    except UnboundLocalError as e:
        return type(e).__name__
    return None


assert local_error() == "UnboundLocalError"


class Scope:
    x = "class"
    ys = [x for _ in range(1)]       # the module's x... or not?

    def method(self):
        return x, self.x


try:
    assert Scope.ys == ["changed"]
except AssertionError:
    print(Scope.ys)
assert Scope().method() == ("changed", "class")

acc = []
for n in range(3):
    pass
acc.append(n)
[n for n in range(100)]
assert n == 2
if (m := len(acc)) == 1:
    assert m == 1
assert [last := v for v in "abc"] and last == "c"


def f(a, /, b, *args, c=3, **kw):
    return sorted(locals().items(), key=lambda kv: kv[0])


print(f(1, 2, 3, 4, c=5, d=6))
try:
    del undefined_name
except NameError as e:
    print(e)
try:
    exec("z = 1 + 1")
    print(z)
except NameError as e:
    raise
