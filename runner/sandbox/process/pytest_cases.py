"""Runs the cases of a module by pytest, in this process and without files."""

from __future__ import annotations

import contextlib
import inspect
import logging
import os
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from _pytest import logging as pytest_logging
from _pytest.config import _prepareconfig

from runner.sandbox.process.unittest_cases import (
    ENDED_EARLY,
    UNEXPECTED_SUCCESS,
    Case,
    Names,
    Report,
    Unfit,
    check_count,
    checked,
    is_test_case,
    outcome_of,
    run_by_unittest,
)

# These plugins use a terminal or files, or hook into the whole process.
_WITHOUT = """
assertion cacheprovider debugging doctest faulthandler freeze_support junitxml legacypath pastebin
reports setuponly setupplan stepwise terminal threadexception tmpdir unittest unraisableexception
""".split()
_OPTIONS = [
    *(option for plugin in _WITHOUT for option in ("-p", f"no:{plugin}")),
    *("-o", "empty_parameter_set_mark=fail_at_collect"),
    *("-c", os.devnull, "--rootdir", os.sep, "--noconftest", "--capture=no", os.devnull),
]
_FILE = "test"
_NO_FILES = "programs reach no files, so there is no `{}` here; use values, or io.StringIO"


class _NoFile(logging.NullHandler):
    """Replaces the file handler of pytest's logging plugin."""

    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__()


pytest_logging._FileHandler = _NoFile  # type: ignore[assignment, misc]  # noqa: SLF001


def preload() -> None:
    """Import everything of pytest for a run, because files can't be read later."""
    run_by_pytest("", {"test_sample": _sample, "sample": _sample_fixture}, lambda _: None)
    _kept.append(_configure())


@pytest.fixture(name="sample", params=["é"])
def _sample_fixture() -> str:
    return ""


@pytest.mark.parametrize("text", ["é", b"\0"])
@pytest.mark.usefixtures("sample", "caplog", "capsys", "monkeypatch")
@pytest.mark.filterwarnings("error")
def _sample(text: object) -> None:
    with pytest.raises(ValueError, match="x"):
        int("x")
    pytest.fail(repr((text, pytest.approx([1.0]))))


def _configure() -> Any:
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    return _prepareconfig(_OPTIONS, [_FIXTURES])


# Made in advance for one run, because making it reads files.
_kept: list[Any] = []


def run_by_pytest(module: str, own: Names, report: Report) -> None:
    """Run the cases among these names; raises Unfit, and exceptions of `report`."""
    plugin = _Plugin(module, own, report)
    config = _kept.pop() if _kept else _configure()
    config.pluginmanager.register(plugin)
    with contextlib.suppress(OSError):
        # At its end it changes to the original folder, which may be denied.
        config.hook.pytest_cmdline_main(config=config)
    if plugin.raised is not None:
        raise plugin.raised


class _NoPath(type(Path())):  # type: ignore[misc]
    """A path that is not looked up in the file system."""

    def is_file(self, **_: Any) -> bool:
        return False

    is_dir = exists = is_file


class _TestCases(pytest.Item):
    """A test case class of `unittest`; `run` runs its cases and reports them."""

    run: Callable[[], None]

    def runtest(self) -> None:
        self.run()


class _Plugin:
    """Collects from a module without a file, and reports cases with their exceptions."""

    def __init__(self, module: str, own: Names, report: Report) -> None:
        self.raised: BaseException | None = None
        self._module = module
        self._own = own
        self._report = report
        self._session: Any = None
        self._current = ""
        self._ended: Case | None = None
        # The case to report unless `_ended` is set.
        self._usual: Case | None = None
        self._error: BaseException | None = None

    # --- collecting -------------------------------------------------------------------------------

    def pytest_collection(self, session: Any) -> bool:
        self._session = session
        names = ModuleType(_FILE)
        vars(names).update(self._own)
        module: Any = pytest.Module.from_parent(session, path=_NoPath(os.sep, _FILE))
        module._getobj = lambda: names  # noqa: SLF001
        session.items = items = list(session.genitems(module))
        session.config.hook.pytest_collection_modifyitems(
            session=session, config=session.config, items=items
        )
        session.testscollected = len(items)
        for item in items:
            # Set here, because pytest would query the current folder.
            vars(item)["location"] = (_FILE, None, item.name)
        try:
            check_count(len(items))
        except Unfit as unfit:
            self._stop(unfit)
            items.clear()
        return True

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            said = str(report.longrepr).strip().rpartition("\n")[2]
            self._stop(Unfit(said.replace(f"{_FILE}::", "")))

    def pytest_pycollect_makeitem(self, collector: Any, name: str, obj: Any) -> Any:
        if is_test_case(obj):
            item: Any = _TestCases.from_parent(collector, name=name)
            item.run = partial(run_by_unittest, self._module, {name: obj}, self._send)
            return item
        if collector.funcnamefilter(name) and inspect.isgeneratorfunction(obj):
            nothing = checked(name, lambda: (yield))
            return pytest.Function.from_parent(collector, name=name, callobj=nothing)
        return None

    # --- running ----------------------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: Any) -> None:
        # This hook runs before the one that calls the function.
        pyfuncitem.obj = checked(pyfuncitem.originalname, pyfuncitem.obj)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Generator[None, Any, Any]:
        self._current, self._ended, self._usual = _name_of(item), None, None
        if not isinstance(item, _TestCases):
            self._usual = Case(self._current, Unfit(ENDED_EARLY))
        done = yield
        if (case := self._ended or self._usual) is not None:
            self._send(case)
        return done

    def pytest_runtest_makereport(self, item: Any, call: Any) -> pytest.TestReport:
        # Replaces pytest's own hook, which renders a long text of each exception.
        self._error = error = call.excinfo and call.excinfo.value
        is_skip = isinstance(error, pytest.skip.Exception)
        return pytest.TestReport(
            item.nodeid,
            item.location,
            {},
            "passed" if error is None else "skipped" if is_skip else "failed",
            None,
            call.when,
        )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        error = self._error
        if report.passed and report.when == "call":
            self._usual = self._usual and Case(self._current)
        if isinstance(error, pytest.FixtureLookupError):
            error = Unfit(error.msg or f"there is no fixture `{error.argname}`")
        if self._ended is not None and self._ended.error is not None:
            return
        if hasattr(report, "wasxfail"):
            self._ended = Case(self._current, note="failed as expected" if report.skipped else "")
        elif error is not None:
            self._ended = outcome_of(self._current, error)
        elif report.failed:
            self._ended = Case(self._current, AssertionError(UNEXPECTED_SUCCESS))

    def pytest_keyboard_interrupt(self, excinfo: Any) -> None:
        if self.raised is None:
            self._send(Case(self._current, excinfo.value))

    def pytest_internalerror(self, excinfo: Any) -> None:
        self._stop(excinfo.value)

    def _send(self, case: Case) -> None:
        if self.raised is None:
            try:
                self._report(case)
            except BaseException as error:
                self._stop(error)

    def _stop(self, error: BaseException) -> None:
        self.raised = self.raised or error
        if self._session is not None:
            self._session.shouldstop = "the run ends"


def _name_of(item: Any) -> str:
    chain = item.listchain()
    return ".".join(node.name for node in chain if isinstance(node, pytest.Class | pytest.Item))


def _without_files(name: str) -> Any:
    def refuse() -> None:
        raise Unfit(_NO_FILES.format(name))

    return pytest.fixture(name=name)(refuse)


_FIXTURES = ModuleType("without_files")
for _name in "tmp_path tmp_path_factory tmpdir tmpdir_factory capfd capfdbinary".split():
    setattr(_FIXTURES, _name, _without_files(_name))
