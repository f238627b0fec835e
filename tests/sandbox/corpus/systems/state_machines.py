"""Three ways to write a state machine: a table, decorators on a class, and generators."""
from collections import defaultdict
from enum import Enum, auto
from functools import wraps


# 1. a table -----------------------------------------------------------------
class State(Enum):
    LOCKED = auto()
    UNLOCKED = auto()
    BROKEN = auto()


class Turnstile:
    TABLE = {
        (State.LOCKED, "coin"): (State.UNLOCKED, "unlock"),
        (State.LOCKED, "push"): (State.LOCKED, "alarm"),
        (State.UNLOCKED, "push"): (State.LOCKED, "lock"),
        (State.UNLOCKED, "coin"): (State.UNLOCKED, "thank"),
    }

    def __init__(self):
        self.state = State.LOCKED
        self.log = []

    def handle(self, event):
        try:
            self.state, action = self.TABLE[self.state, event]
        except KeyError:
            self.state, action = State.BROKEN, "jam"
        getattr(self, "on_" + action, lambda: self.log.append(action))()
        return self

    def on_alarm(self):
        self.log.append("ALARM!")


# 2. transitions as decorators -------------------------------------------------
class InvalidTransition(Exception):
    pass


def transition(source, target, guard=None):
    sources = {source} if isinstance(source, str) else set(source)

    def decorate(method):
        @wraps(method)
        def wrapper(self, *args, **kwargs):
            if self.state not in sources:
                raise InvalidTransition(f"{method.__name__} is not possible when {self.state}")
            if guard is not None and not guard(self):
                raise InvalidTransition(f"{method.__name__} is forbidden")
            result = method(self, *args, **kwargs)
            old, self.state = self.state, target
            for hook in self.hooks[target]:
                hook(self, old)
            return result

        wrapper.transition = (frozenset(sources), target)
        return wrapper

    return decorate


class Order:
    hooks = defaultdict(list)

    def __init__(self, items=()):
        self.state = "new"
        self.items = list(items)
        self.notes = []

    @transition("new", "paid", guard=lambda self: self.items)
    def pay(self, amount):
        """Take the money."""
        self.paid = amount

    @transition("paid", "shipped")
    def ship(self):
        pass

    @transition(["new", "paid"], "cancelled")
    def cancel(self, why="no reason"):
        self.notes.append(why)
        return getattr(self, "paid", 0)

    @classmethod
    def diagram(cls):
        for name, method in sorted(vars(cls).items()):
            if hasattr(method, "transition"):
                sources, target = method.transition
                for s in sorted(sources):
                    yield f"{s} --{name}--> {target}"

    @classmethod
    def entering(cls, state):
        def register(hook):
            cls.hooks[state].append(hook)
            return hook
        return register


@Order.entering("shipped")
def send_mail(order, old):
    order.notes.append(f"mail: {old} -> {order.state}")


# 3. a generator whose position is its state --------------------------------------
def comment_stripper():
    """Feed characters, get what is outside of /* comments */."""
    out = ""
    while True:
        ch = yield out
        out = ch
        if ch == "/":
            out = ""
            nxt = yield out
            if nxt != "*":
                out = ch + nxt
                continue
            last = ""
            while True:
                ch = yield out
                if last + ch == "*/":
                    break
                last = ch


def strip_comments(text):
    machine = comment_stripper()
    next(machine)
    return "".join(map(machine.send, text))


# and a tiny one with functions as states
def number_state(text):
    def start(c):
        return sign if c in "+-" else digits if c.isdigit() else None

    def sign(c):
        return digits if c.isdigit() else None

    def digits(c):
        return digits if c.isdigit() else dot if c == "." else None

    def dot(c):
        return fraction if c.isdigit() else None

    def fraction(c):
        return fraction if c.isdigit() else None

    state = start
    for c in text:
        state = state(c)
        if state is None:
            return "reject"
    return state.__name__ if state in (digits, fraction) else "reject"


def test_turnstile():
    t = Turnstile()
    for e in "push coin coin push".split():
        t.handle(e)
    assert t.log == ["ALARM!", "unlock", "thank", "lock"] and t.state is State.LOCKED
    assert t.handle("kick").state.name == "BROKEN" and t.log[-1] == "jam"


def test_order():
    o = Order(["book"])
    o.pay(20)
    o.ship()
    assert o.state == "shipped" and o.notes == ["mail: paid -> shipped"]
    for bad, message in ((o.cancel, "cancel is not possible when shipped"),
                         (lambda: Order().pay(1), "pay is forbidden")):
        try:
            bad()
        except InvalidTransition as e:
            assert str(e) == message
        else:
            raise AssertionError
    assert Order().cancel(why="bored") == 0
    assert list(Order.diagram()) == ["new --cancel--> cancelled", "paid --cancel--> cancelled",
                                     "new --pay--> paid", "paid --ship--> shipped"]
    assert Order.pay.__doc__ == "Take the money."


def test_characters():
    assert strip_comments("a/*b*/c /d/ /***/e") == "ac /d/ e"
    assert [number_state(t) for t in ("12", "-1.5", "", "1.", "x", "+")] == [
        "digits", "fraction", "reject", "reject", "reject", "reject"]


for name in sorted(n for n in dir() if n.startswith("test_")):
    globals()[name]()
