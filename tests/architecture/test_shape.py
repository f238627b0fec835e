"""Where things stand, what they are called and how long they may grow."""

import ast

from tests.architecture.source import ROOT, Module, belongs_to, modules, setting_names
from tests.architecture.test_imports import PURE

LONGEST_MODULE_LINES = 350
EMPTY_NAMES = {"common", "helpers", "misc", "repositories", "repository", "services", "utils"}
REQUEST_PLACES = {"adapter", "api", "errors", "forms", "middleware", "views", "throttle"}
CLOCKS = {"now", "today", "utcnow"}
TELL_THE_TIME = {
    "runner.operations.health",
    "runner.pipelines.fan_out",
    "runner.management.commands.queue_status",
}


def is_written_by_hand(module: Module) -> bool:
    return ".migrations." not in module.name


def test_no_module_has_a_name_that_says_nothing() -> None:
    named = [module.name for module in modules() if EMPTY_NAMES & set(module.name.split("."))]
    assert named == []


def test_a_module_stays_short_enough_to_be_read_at_once() -> None:
    long = {
        module.name: lines
        for module in modules()
        if is_written_by_hand(module)
        and (lines := len(module.text.splitlines())) > LONGEST_MODULE_LINES
    }
    assert long == {}


def test_requests_stay_at_the_edge() -> None:
    inside = [
        f"{module.name}:{node.lineno}"
        for module in modules()
        for node in ast.walk(module.tree)
        if (isinstance(node, ast.Name) and node.id == "HttpRequest")
        or (isinstance(node, ast.Attribute) and node.attr == "HttpRequest")
        if not REQUEST_PLACES & set(module.name.split("."))
    ]
    assert inside == []


def clocks_asked(module: Module) -> list[str]:
    return [
        f"{module.name}:{node.lineno}"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in CLOCKS
    ]


def test_pure_modules_ask_no_clock() -> None:
    asked = [place for module in modules() if module.name in PURE for place in clocks_asked(module)]
    assert asked == []


def test_what_is_due_or_over_is_decided_by_the_clock_of_the_database() -> None:
    """Machines' clocks differ; some modules show times to people, or note when something ended."""
    asked = [
        place
        for module in modules()
        if belongs_to(module.name, "runner") and module.name not in TELL_THE_TIME
        for place in clocks_asked(module)
    ]
    assert asked == []


def test_models_enqueue_nothing() -> None:
    """One row's questions are on its model; what follows from a write stands in a use case."""
    calls = [
        f"{module.name} imports {name}"
        for module in modules()
        if ".models" in module.name
        for name, _ in module.imports()
        if belongs_to(
            name,
            "runner.pipelines.outbox",
            "runner.pipelines.doorbell",
            "runner.batches.submission",
            "runner.jobs",
            "runner.events.topics",
            "runner.events.wakeups",
        )
    ]
    assert calls == []


def test_every_setting_is_explained_to_whoever_operates_the_site() -> None:
    names = setting_names()
    manual = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    assert names
    assert [name for name in sorted(names) if f"`{name}`" not in manual] == []
