"""Which module may import which."""

import subprocess
import sys

from tests.architecture.source import PACKAGES, ROOT, belongs_to, modules

ORDER = {"runner": 0, "functions": 1, "socialcode": 2}
QUEUE_MODULES = ("runner.jobs", "runner.pipelines.doorbell")
CHANNEL_MODULES = (
    "runner.sockets.authorization",
    "runner.events.wakeups",
    "socialcode.asgi",
)
# `interpreters` is ours, and needs nothing but the standard library.
SANDBOX_LIBRARIES = (
    *("RestrictedPython", "interpreters", "jinja2", "pyseccomp", "pytest", "_pytest", "_quickjs"),
)
PURE = (
    *(f"functions.document_views.{name}" for name in ("conditions", "contributions", "definition")),
    *(f"functions.document_views.{name}" for name in ("evaluation", "scalars")),
    "functions.graph.algorithms",
    "functions.source.diff",
    "functions.contests.explanations",
    *(f"functions.export.{name}" for name in ("bundle", "package", "pytest_module", "sdist")),
    *(f"functions.export.{name}" for name in ("distribution", "distribution_modules")),
    *(f"functions.export.{name}" for name in ("single_file", "source_rewrite", "wheel")),
    *(f"functions.module_import.{name}" for name in ("draft_texts", "imports", "parts", "plan")),
    *(f"functions.module_import.{name}" for name in ("plan_types", "pytest_rewrite", "selection")),
    *(f"functions.json_data.{name}" for name in ("deltas", "mapping", "mapping_nodes", "merge")),
    *(f"functions.json_data.{name}" for name in ("paths", "patterns", "query", "query_match")),
    *(f"functions.json_data.{name}" for name in ("query_sql", "schema", "schema_messages")),
    "functions.json_data.values",
    "functions.kinds.collection_reads",
    "functions.kinds.page_source",
    "functions.kinds.page_uses",
    "functions.kinds.python_uses",
    "functions.source.lexer",
    "functions.source.name_check",
    "functions.source.literals",
    "functions.source.markers",
    "functions.names",
    "functions.contests.rules",
    "functions.source.scopes",
    "functions.source.signatures",
    "functions.contests.test_rules",
    "runner.sockets.frames",
    "runner.pipelines.virtual_time",
)
# What a pure module may use beside others of its kind: names of errors, the build backend that a
# source archive contains, and the check of texts.
PURE_FOUNDATIONS = (
    "functions.errors",
    "functions.export.build_wheel_here",
    "functions.source.validation",
)
IMPURE_LIBRARIES = (
    *("asyncio", "http", "multiprocessing", "os", "pathlib", "random", "secrets", "shutil"),
    *("socket", "subprocess", "threading", "time", "urllib", "uuid"),
    *("channels", "django", "psycopg", "redis", "rq", "django_rq"),
)


def offences(found: list[tuple[str, int, str]]) -> str:
    return "\n".join(f"{module}:{line} imports {name}" for module, line, name in found)


def test_imports_point_down_from_the_site_over_the_product_to_the_machinery() -> None:
    found = []
    for module in modules():
        room = module.name.split(".")[0]
        for name, line in module.imports():
            other = name.split(".")[0]
            if other in ORDER and ORDER[other] > ORDER[room]:
                found.append((module.name, line, name))
    assert not found, offences(found)


def test_no_import_of_our_own_is_hidden_in_a_function() -> None:
    found = [
        (module.name, line, name)
        for module in modules()
        for name, line in module.imports_inside_functions()
        if belongs_to(name, *PACKAGES)
    ]
    assert not found, offences(found)


def test_only_the_doorbell_knows_the_queue() -> None:
    found = [
        (module.name, line, name)
        for module in modules()
        for name, line in module.imports()
        if belongs_to(name, "rq", "django_rq") and module.name not in QUEUE_MODULES
    ]
    assert not found, offences(found)


def test_only_sockets_and_topics_know_channels() -> None:
    found = [
        (module.name, line, name)
        for module in modules()
        for name, line in module.imports()
        if belongs_to(name, "channels", "channels_redis") and module.name not in CHANNEL_MODULES
    ]
    assert not found, offences(found)


def test_the_sandbox_imports_the_standard_library_and_its_libraries_only() -> None:
    allowed = {*sys.stdlib_module_names, *SANDBOX_LIBRARIES}
    found = [
        (module.name, line, name)
        for module in modules()
        if belongs_to(module.name, "runner.sandbox")
        for name, line in module.imports()
        if not belongs_to(name, "runner.sandbox") and name.split(".")[0] not in allowed
    ]
    assert not found, offences(found)


def test_the_sandbox_loads_neither_django_nor_a_database_client() -> None:
    probe = (
        "import sys, runner.sandbox;"
        "print([n for n in sys.modules if n.split('.')[0] in ('django','psycopg','redis','rq')])"
    )
    said = subprocess.run(
        [sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == "[]"


def test_pure_modules_import_nothing_that_reaches_beyond_their_arguments() -> None:
    found = [
        (module.name, line, name)
        for module in modules()
        if module.name in PURE
        for name, line in module.imports()
        if belongs_to(name, *IMPURE_LIBRARIES)
        or (belongs_to(name, *PACKAGES) and not belongs_to(name, *PURE, *PURE_FOUNDATIONS))
    ]
    assert not found, offences(found)


def test_the_modules_that_promise_purity_exist() -> None:
    assert set(PURE) <= {module.name for module in modules()}
