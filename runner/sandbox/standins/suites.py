"""What finds tests of `unittest` and runs them: suites, loaders, `main`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from runner.sandbox import exhaustion
from runner.sandbox.guards import Forbidden, guard_getattr, offered_dir, user_types
from runner.sandbox.ownership import calling_module
from runner.sandbox.standins import running
from runner.sandbox.standins.marks import SKIP, SkipTest, expectedFailure, skip, skipIf, skipUnless
from runner.sandbox.standins.outcomes import TestResult, TextTestResult, TextTestRunner, summary
from runner.sandbox.standins.unittests import IsolatedAsyncioTestCase, TestCase


class TestSuite:
    """unittest.TestSuite."""

    def __init__(self, tests: Iterable[Any] = ()) -> None:
        self._tests: list[Any] = []
        self.addTests(tests)

    def addTest(self, test: Any) -> None:
        if not callable(test) or isinstance(test, type):
            raise TypeError(f"{test!r} is no test; classes are loaded by a TestLoader")
        self._tests.append(test)

    def addTests(self, tests: Iterable[Any]) -> None:
        for test in tests:
            self.addTest(test)

    def countTestCases(self) -> int:
        return sum(test.countTestCases() for test in self)

    def run(self, result: Any) -> Any:
        """All tests in order; those of a class, which follow each other, between its fixtures."""
        fixtures = _Fixtures(result)
        for test in _cases(self):
            if result.shouldStop:
                break
            if fixtures.are_for(type(test)):
                test(result)
        fixtures.are_for(None)
        return result

    def __call__(self, result: Any) -> Any:
        return self.run(result)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._tests)

    def __repr__(self) -> str:
        return f"<unittest.suite.TestSuite tests={self._tests!r}>"


def _cases(suite: TestSuite) -> Iterator[Any]:
    for test in suite:
        if isinstance(test, TestSuite):
            yield from _cases(test)
        else:
            yield test


class _Fixtures:
    """Sets classes up and tears them down, one at a time."""

    def __init__(self, result: Any) -> None:
        self._result = result
        self._kind: Any = None
        self._is_ready = self._is_set_up = False

    def are_for(self, kind: Any) -> bool:
        """Whether tests of that class can run, after what was to be done before."""
        if kind is not self._kind:
            if self._is_set_up:
                self._do("tearDownClass")
            self._kind = kind
            has_fixtures = kind is not None and getattr(kind, SKIP, None) is None
            self._is_set_up = has_fixtures and self._do("setUpClass")
            self._is_ready = self._is_set_up or not has_fixtures
        return self._is_ready

    def _do(self, name: str) -> bool:
        hook = getattr(self._kind, name, None)
        try:
            if hook is not None and issubclass(self._kind, TestCase):
                hook()
        except BaseException as error:
            exhaustion.caught()
            around = _Around(f"{name} ({self._kind.__module__}.{self._kind.__qualname__})")
            if isinstance(error, SkipTest):
                self._result.addSkip(around, str(error))
            else:
                self._result.addError(around, (type(error), error, error.__traceback__))
            return False
        return True


class _Around:
    """In place of a test: what went wrong around the tests of a class."""

    def __init__(self, description: str) -> None:
        self.description = description

    def id(self) -> str:
        return self.description

    def shortDescription(self) -> None:
        return None

    __str__ = id


class TestLoader:
    """unittest.TestLoader."""

    testMethodPrefix = "test"

    def getTestCaseNames(self, testCaseClass: Any) -> list[str]:
        return [
            name
            for name in sorted(offered_dir(testCaseClass))
            if name.startswith(self.testMethodPrefix)
            and callable(guard_getattr(testCaseClass, name))
        ]

    def loadTestsFromTestCase(self, testCaseClass: Any) -> TestSuite:
        if not issubclass(testCaseClass, TestCase):
            raise TypeError("tests are loaded from a subclass of TestCase")
        names = self.getTestCaseNames(testCaseClass)
        if not names and hasattr(testCaseClass, "runTest"):
            names = ["runTest"]
        return TestSuite(map(testCaseClass, names))

    def loadTestsFromName(self, name: str, module: Any = None) -> TestSuite:
        return self.loadTestsFromNames([name], module)

    def loadTestsFromNames(self, names: Iterable[str], module: Any = None) -> TestSuite:
        """Of the calling module: a class, or a method of one."""
        classes = _classes_of(_own_module(module))
        suite = TestSuite()
        for name in names:
            found, _, method = name.removeprefix("__main__.").partition(".")
            if found not in classes:
                raise AttributeError(f"there is no test case `{found}`")
            kind = classes[found]
            suite.addTest(kind(method) if method else self.loadTestsFromTestCase(kind))
        return suite

    def loadTestsFromModule(self, module: Any = None) -> TestSuite:
        kinds = _classes_of(_own_module(module)).values()
        return TestSuite(map(self.loadTestsFromTestCase, kinds))


def _own_module(module: Any) -> str:
    """The calling module; tests of another one would hand its classes to whoever asks."""
    name = calling_module()
    if module is not None and module != name:
        raise Forbidden("tests are looked for in the module that asks for them")
    return name


def _classes_of(module: str) -> dict[str, Any]:
    """A module's test cases by their names, which are in order."""
    return {
        name: thing
        for name, thing in sorted(running.namespaces[module].items())
        if issubclass(type(thing), type) and thing in user_types and issubclass(thing, TestCase)
    }


defaultTestLoader = TestLoader()


def makeSuite(testCaseClass: Any, prefix: str = "test") -> TestSuite:
    loader = TestLoader()
    loader.testMethodPrefix = prefix
    return loader.loadTestsFromTestCase(testCaseClass)


class TestProgram:
    """unittest.main: the tests of the calling module, told of, and the status to leave with."""

    def __init__(
        self,
        module: Any = None,
        defaultTest: Any = None,
        argv: Any = None,
        testRunner: Any = None,
        exit: bool = True,
        verbosity: int = 1,
        failfast: bool = False,
        **options: Any,
    ) -> None:
        runner: Any = testRunner or TextTestRunner
        # Another's would get the module's own test cases into its hands.
        if runner is not TextTestRunner and type(runner) is not TextTestRunner:
            raise Forbidden("`unittest.main` runs tests by unittest.TextTestRunner only")
        if different := options.keys() - {"buffer", "catchbreak", "warnings", "tb_locals"}:
            raise Forbidden(f"`unittest.main` has no `{min(different)}` here")
        module = None if module == "__main__" else module
        flags = [*map(str, argv or [])][1:]
        names = [flag for flag in flags if not flag.startswith("-")]
        if not names and defaultTest is not None:
            names = [defaultTest] if isinstance(defaultTest, str) else [*defaultTest]
        if {"-v", "--verbose"}.intersection(flags):
            verbosity = 2
        if runner is TextTestRunner:
            is_quick = failfast or "-f" in flags
            runner = TextTestRunner(verbosity=verbosity, failfast=is_quick)
        loader = defaultTestLoader
        suite = (
            loader.loadTestsFromNames(names, module)
            if names
            else loader.loadTestsFromModule(module)
        )
        self.result = runner.run(suite)
        if exit:
            status = SystemExit(int(not self.result.wasSuccessful()))
            status.add_note(f"unittest: {summary(self.result)}")
            raise status


UNITTEST: dict[str, Any] = {
    "main": TestProgram,
    "defaultTestLoader": defaultTestLoader,
    **{
        thing.__name__: thing
        for thing in (
            TestCase,
            IsolatedAsyncioTestCase,
            TestSuite,
            TestLoader,
            TestResult,
            TextTestResult,
            TextTestRunner,
            SkipTest,
            skip,
            skipIf,
            skipUnless,
            expectedFailure,
            makeSuite,
        )
    },
}
