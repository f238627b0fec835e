from __future__ import annotations
from abc import ABC, abstractmethod
from contextlib import contextmanager
from functools import wraps
from typing import Any, Callable, Protocol, get_type_hints

class ResolutionError(LookupError):
    pass

class Container:
    """Builds objects from the annotations of their constructors."""

    def __init__(self, parent: Container | None = None):
        self._providers: dict[Any, tuple[Callable, str]] = {}
        self._singletons: dict[Any, Any] = {}
        self._parent = parent
        self._building: list[Any] = []

    def register(self, key, provider=None, *, scope='transient'):
        """Bind a key to a class or a factory; as a decorator when no provider is given."""
        if provider is None:
            if isinstance(key, type):
                provider = key
            else:
                return lambda p: self.register(key, p, scope=scope) and p
        self._providers[key] = (provider, scope)
        return provider

    def singleton(self, key, provider=None):
        return self.register(key, provider, scope='singleton')

    def instance(self, key, value):
        self._singletons[key] = value
        return value

    def resolve(self, key):
        if key in self._singletons:
            return self._singletons[key]
        if key in self._building:
            chain = ' -> '.join(k.__name__ for k in [*self._building, key])
            raise ResolutionError(f'circular: {chain}')
        try:
            provider, scope = self._providers[key]
        except KeyError:
            if self._parent:
                return self._parent.resolve(key)
            raise ResolutionError(f'nothing registered for {getattr(key, "__name__", key)!r}') from None
        self._building.append(key)
        try:
            value = self.call(provider)
        finally:
            self._building.pop()
        if scope == 'singleton':
            self._singletons[key] = value
        return value

    __getitem__ = resolve

    def call(self, func, **given):
        target = func.__init__ if isinstance(func, type) else func
        if target is object.__init__:
            return func()
        hints = {k: v for k, v in get_type_hints(target).items() if k != 'return'}
        defaults = target.__kwdefaults__ or {}
        kwargs = {}
        for name, hint in hints.items():
            if name in given:
                kwargs[name] = given[name]
                continue
            try:
                kwargs[name] = self.resolve(hint)
            except ResolutionError:
                if name not in defaults:
                    raise
        return func(**kwargs)

    def inject(self, func):
        @wraps(func)
        def wrapper(**given):
            return self.call(func, **given)
        return wrapper

    @contextmanager
    def override(self, key, value):
        missing = object()
        old = self._singletons.get(key, missing)
        self._singletons[key] = value
        try:
            yield self
        finally:
            if old is missing:
                del self._singletons[key]
            else:
                self._singletons[key] = old

    child = lambda self: Container(parent=self)

class Mailer(Protocol):
    def send(self, to: str, text: str) -> None: ...

class Clock(ABC):
    @abstractmethod
    def now(self) -> int: ...

class FakeClock(Clock):
    ticks = 0

    def now(self):
        FakeClock.ticks += 1
        return self.ticks

class ListMailer:
    def __init__(self):
        self.sent = []

    def send(self, to, text):
        self.sent.append((to, text))

class Repository:
    def __init__(self, clock: Clock):
        self.clock = clock
        self.users = {}

    def add(self, name: str):
        self.users[name] = self.clock.now()

class SignUp:
    def __init__(self, repo: Repository, mailer: Mailer, *, greeting: str = 'Hello'):
        self._repo, self._mailer, self.greeting = repo, mailer, greeting

    def __call__(self, name: str) -> None:
        self._repo.add(name)
        self._mailer.send(name, f'{self.greeting}, {name}!')

class Chicken:
    def __init__(self, egg: Egg): ...

class Egg:
    def __init__(self, chicken: Chicken): ...

app = Container()
app.register(SignUp)
app.singleton(Repository)
app.singleton(Mailer, ListMailer)
app.register(Clock, FakeClock)
app.register(Chicken)
app.register(Egg)

@app.inject
def report(repo: Repository, mailer: Mailer, title: str) -> str:
    """Tell what happened."""
    return f'{title}: {len(repo.users)} users, {len(mailer.sent)} mails'

def test_graph():
    app[SignUp]('ann')
    app.resolve(SignUp)('bob')
    assert app[Repository].users == {'ann': 1, 'bob': 2}
    assert app[Mailer].sent[-1] == ('bob', 'Hello, bob!')
    assert app[SignUp] is not app[SignUp] and app[Repository] is app[Repository]
    assert report(title='Today') == 'Today: 2 users, 2 mails'
    assert report.__name__ == 'report' and report.__doc__ == 'Tell what happened.'

def test_overrides():
    quiet = ListMailer()
    with app.override(Mailer, quiet):
        app[SignUp]('cy')
    assert quiet.sent == [('cy', 'Hello, cy!')] and len(app[Mailer].sent) == 2
    sub = app.child()
    sub.instance(str, 'Moin')
    sub.register(SignUp)
    assert sub[SignUp].greeting == 'Moin' and sub[Repository] is app[Repository]
    assert app.call(SignUp, greeting='Yo').greeting == 'Yo'

def test_errors():
    for key, message in ((Chicken, 'circular: Chicken -> Egg -> Chicken'), (dict, "nothing registered for 'dict'")):
        try:
            app[key]
        except ResolutionError as e:
            assert str(e) == message, e
        else:
            raise AssertionError(key)
    assert app._building == []

for t in (test_graph, test_overrides, test_errors):
    t()
