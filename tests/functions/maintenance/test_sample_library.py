"""The sample library keeps its own promises: well formed, deep, contested, no circle unsaid."""

import ast
import builtins
import io
import keyword
import re
import sys
import tokenize
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from jinja2 import Environment, nodes
from jinja2.meta import find_undeclared_variables

from functions.kinds import JAVASCRIPT, KINDS
from functions.kinds.page_source import find_reads
from runner.sandbox import as_module, is_javascript
from runner.sandbox.language.compilation import complaints
from runner.sandbox.language.pages import COMMANDS, REQUEST, RESPONSE

LIBRARY = Path(__file__).resolve().parents[3] / "functions" / "samples" / "library"
AUTHORS = {"mira", "jun", "ana", "otto", "wren", "sol"}
FAILING_VERDICTS = {"failed", "error", "time_limit"}
ALWAYS_THERE = {*dir(builtins), "log", "check"}
PAGES: dict[str, str] = {}  # the names of pages, by source
MARKER = re.compile(r"<<(\w+)>>")
JAVASCRIPT_DEFINITION = re.compile(
    r"^(?:async )?(?:function\*?|const|let|var|class) (\w+)", re.MULTILINE
)


@dataclass(frozen=True)
class Work:
    """An implementation or a test, as its function's description lists it."""

    file: str
    title: str
    author: str
    up: tuple[str, ...]
    down: tuple[str, ...]
    source: str
    uses: frozenset[str]
    expect: str = ""
    expect_verdict: str = ""

    @property
    def score(self) -> int:
        return len(self.up) - len(self.down)


@dataclass(frozen=True)
class Sample:
    """One function of the library with everything that was written for it."""

    folder: Path
    name: str
    signature: str
    owner: str
    description: str
    implementations: tuple[Work, ...]
    tests: tuple[Work, ...]
    elected: Work
    circle: tuple[str, ...] = ()
    kind: str = "function"

    @property
    def works(self) -> tuple[Work, ...]:
        return self.implementations + self.tests


def marked_names(source: str) -> frozenset[str]:
    """Find what a source's comments and strings mark as dependencies."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    marking = (
        token.string for token in tokens if token.type in (tokenize.COMMENT, tokenize.STRING)
    )
    return frozenset(name for text in marking for name in MARKER.findall(text))


def read_work(folder: Path, listed: dict[str, object]) -> Work:
    path = folder / str(listed["file"])
    source = path.read_text(encoding="utf-8")
    listed = {
        key: tuple(value) if isinstance(value, list) else value for key, value in listed.items()
    }
    if path.suffix == ".json":
        uses = frozenset(one.name for one in KINDS["document"].find_markers(source).markers)
        source = KINDS["document"].generate_module(folder.name, source)
    elif path.suffix == ".html":
        uses = frozenset(one.name for one in KINDS["page"].find_markers(source).markers)
        source = KINDS["page"].generate_module(folder.name, source)
        PAGES[source] = folder.name
    elif path.suffix == ".js":
        uses = frozenset(one.name for one in JAVASCRIPT.find_markers(source).markers)
        source = as_module(source)
    else:
        uses = marked_names(source)
    return Work(**listed, source=source, uses=uses)  # type: ignore[arg-type]


def read_sample(folder: Path) -> Sample:
    """Read one folder; an unknown or missing key is a TypeError or KeyError that names it."""
    top = tomllib.loads((folder / "function.toml").read_text(encoding="utf-8"))
    implementations = tuple(read_work(folder, listed) for listed in top.pop("implementations"))
    tests = tuple(read_work(folder, listed) for listed in top.pop("tests"))
    elected_file = top.pop("elected", implementations[0].file)
    circle = tuple(top.pop("circle", ()))
    elected = next(work for work in implementations if work.file == elected_file)
    return Sample(
        folder=folder,
        implementations=implementations,
        tests=tests,
        elected=elected,
        circle=circle,
        **top,
    )


@cache
def library() -> dict[str, Sample]:
    folders = sorted(
        path for path in LIBRARY.glob("*/*") if path.is_dir() and path.name != "__pycache__"
    )
    return {sample.name: sample for sample in map(read_sample, folders)}


def all_works() -> Iterator[tuple[Sample, Work]]:
    return ((sample, work) for sample in library().values() for work in sample.works)


def elected_closure(names: Iterable[str]) -> set[str]:
    """Add to these functions whatever their elected implementations lead to."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += library()[name].elected.uses
    return found


def public_definitions(source: str) -> set[str]:
    """Find the public names that a module defines at its top level, imports left out."""
    if source in PAGES:
        return {PAGES[source]}
    if is_javascript(source):
        return set(JAVASCRIPT_DEFINITION.findall(source))
    names: set[str] = set()
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            names.add(statement.name)
        elif isinstance(statement, ast.Assign):
            assigned = {target.id for target in statement.targets if isinstance(target, ast.Name)}
            if "__all__" in assigned:
                return set(ast.literal_eval(statement.value))
            names |= assigned
    return {name for name in names if not name.startswith("_")}


def parse_page(source: str) -> nodes.Template:
    return Environment(autoescape=True, extensions=["jinja2.ext.do"]).parse(source)


def names_passed(page: str) -> set[str]:
    """Names that other pages give to this one, as it stands in them."""
    calls = [call for source in PAGES for call in parse_page(source).find_all(nodes.Call)]
    return {
        given.key
        for call in calls
        if isinstance(call.node, nodes.Name) and call.node.name == page
        for given in call.kwargs
    }


def names_read(source: str) -> set[str]:
    """Names that a source reads and doesn't bind anywhere itself; of JavaScript, only samples'."""
    if source in PAGES:
        given = {*REQUEST, RESPONSE, COMMANDS, *(read.variable for read in find_reads(source))}
        return find_undeclared_variables(parse_page(source)) - given - names_passed(PAGES[source])
    if is_javascript(source):
        return {use.name for use in JAVASCRIPT.find_uses(source, set(library()))}
    read: set[str] = set()
    bound: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                read.add(name)
            case (
                ast.Name(id=name)
                | ast.FunctionDef(name=name)
                | ast.ClassDef(name=name)
                | ast.arg(arg=name)
            ):
                bound.add(name)
            case ast.alias(name=name, asname=other):
                bound.add(other or name.partition(".")[0])
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                bound.add(name)
    return read - bound


# Well formed


def test_there_are_at_least_forty_functions_in_all_the_promised_fields() -> None:
    fields = {sample.folder.parent.name for sample in library().values()}
    assert len(library()) >= 40
    assert fields == {
        "applications",
        "arithmetic",
        "classes",
        "numbers",
        "text",
        "dates",
        "sorting",
        "matrices",
        "graphs",
        "parsing",
        "people",
        "places",
        "pages",
        "recipes",
    }


def test_every_folder_bears_its_functions_name_and_holds_exactly_the_listed_files() -> None:
    for sample in library().values():
        listed = [work.file for work in sample.works]
        present = {path.name for path in sample.folder.iterdir() if path.name != "__pycache__"}
        assert sample.folder.name == sample.name
        assert len(listed) == len(set(listed)), sample.name
        assert present == {"function.toml", *listed}, sample.name


def test_names_are_free_and_unique_whatever_their_case() -> None:
    taken = {
        name.casefold()
        for name in (*keyword.kwlist, *ALWAYS_THERE, *sys.stdlib_module_names, "render", "data")
    }
    for name in library():
        assert re.fullmatch(r"[A-Z][A-Za-z0-9]{0,79}", name), name
        assert name.casefold() not in taken, f"{name} is reserved, or there twice"
        taken.add(name.casefold())


def test_signatures_parse_and_descriptions_say_something() -> None:
    for sample in library().values():
        ast.parse(f"def f{sample.signature or '()'}: pass")
        assert bool(sample.signature) == KINDS[sample.kind].has_signature, sample.name
        assert len(sample.description.split()) >= 3, sample.name


def test_every_work_has_a_title_of_its_own_that_fits_the_page() -> None:
    for sample in library().values():
        for works in (sample.implementations, sample.tests):
            titles = [work.title for work in works]
            assert all(0 < len(title) <= 120 for title in titles), sample.name
            assert len(titles) == len(set(titles)), sample.name


def test_no_source_is_there_twice_in_one_function() -> None:
    for sample in library().values():
        sources = [work.source for work in sample.works]
        assert len(sources) == len(set(sources)), sample.name


def test_every_implementation_defines_its_functions_name() -> None:
    for sample in library().values():
        for work in sample.implementations:
            assert sample.name in public_definitions(work.source), f"{sample.name}/{work.file}"


def test_the_sandbox_has_no_complaint_about_any_source() -> None:
    for sample, work in all_works():
        assert complaints(work.source, name=sample.name) == [], f"{sample.name}/{work.file}"


def test_every_function_has_three_tests_and_each_of_them_asserts_about_it() -> None:
    for sample in library().values():
        assert len(sample.tests) >= (1 if sample.kind == "document" else 3), sample.name
        for work in sample.tests:
            place = f"{sample.name}/{work.file}"
            asserting = any(
                word in work.source for word in ("check(", "validate(", "raises(", "assert.")
            )
            if not is_javascript(work.source):
                tree = ast.walk(ast.parse(work.source))
                asserting |= any(isinstance(node, ast.Assert) for node in tree)
            assert asserting, place
            own = {sample.name, *KINDS[sample.kind].names_in_tests}
            assert own & names_read(work.source), place


# Authors and votes


def test_authors_and_voters_are_the_sample_accounts_and_nobody_votes_on_their_own_work() -> None:
    assert {sample.owner for sample in library().values()} <= AUTHORS
    for sample, work in all_works():
        voters = [*work.up, *work.down]
        place = f"{sample.name}/{work.file}"
        assert {work.author, *voters} <= AUTHORS, place
        assert work.author not in voters, place
        assert len(voters) == len(set(voters)), f"{place}: somebody voted twice"


def test_no_test_is_voted_out_of_counting() -> None:
    for sample in library().values():
        assert all(work.score >= 0 for work in sample.tests), sample.name


def test_every_account_wrote_implementations_and_tests() -> None:
    for works in ("implementations", "tests"):
        authors = {work.author for sample in library().values() for work in getattr(sample, works)}
        assert authors == AUTHORS


# Dependencies


def test_every_marker_names_another_sample_that_the_code_really_uses() -> None:
    for sample, work in all_works():
        place = f"{sample.name}/{work.file}"
        assert work.uses <= set(library()) - {sample.name}, place
        read = names_read(work.source)
        for name in work.uses:
            assert read & public_definitions(library()[name].elected.source), (
                f"{place} doesn't use {name}"
            )


def test_every_name_that_code_reads_is_its_own_marked_or_always_there() -> None:
    for sample, work in all_works():
        bound = {sample.name, *ALWAYS_THERE, *KINDS[sample.kind].names_in_tests}
        for name in work.uses:
            bound |= public_definitions(library()[name].elected.source)
        assert names_read(work.source) <= bound, f"{sample.name}/{work.file}"


def test_no_two_dependencies_bring_the_same_name() -> None:
    for sample, work in all_works():
        subject = [sample.name] if work in sample.tests else []
        brought = [
            name
            for dependency in (*subject, *work.uses)
            for name in public_definitions(library()[dependency].elected.source)
        ]
        assert len(brought) == len(set(brought)), f"{sample.name}/{work.file}"


def whole(name: str) -> str:
    """Return the first function of a sample's circle, or itself where it is elected alone."""
    return min((name, *library()[name].circle))


def test_elected_implementations_form_no_circle_but_those_said_and_go_at_least_five_deep() -> None:
    graph: dict[str, set[str]] = {}
    for name, sample in library().items():
        others = {whole(used) for used in sample.elected.uses} - {whole(name)}
        graph.setdefault(whole(name), set()).update(others)
    try:
        order = list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(f"a circle: {error.args[1]}")
    depth: dict[str, int] = {}
    for name in order:
        depth[name] = 1 + max((depth[used] for used in graph[name]), default=0)
    assert max(depth.values()) >= 5


def test_nothing_leads_back_to_its_own_function_but_a_circle() -> None:
    circles = {sample.circle for sample in library().values() if sample.circle}
    assert circles
    for sample, work in all_works():
        is_round = sample.name in elected_closure(work.uses)
        assert is_round == (bool(sample.circle) and work == sample.elected), (
            f"{sample.name}/{work.file}"
        )
    for circle in circles:
        assert {library()[name].circle for name in circle} == {circle}


# Languages


def test_some_works_are_in_javascript_and_use_functions_in_python() -> None:
    written = [(sample, work) for sample, work in all_works() if is_javascript(work.source)]
    assert any(work == sample.elected and work.uses for sample, work in written)
    assert any(work in sample.tests for sample, work in written)


# Competition


def test_what_is_expected_of_each_implementation_is_said_in_full() -> None:
    for sample in library().values():
        for work in sample.implementations:
            place = f"{sample.name}/{work.file}"
            assert work.expect in ("eligible", "failing"), place
            assert (work.expect_verdict in FAILING_VERDICTS) == (work.expect == "failing"), place
            assert work.expect_verdict in ("", *FAILING_VERDICTS), place


def test_the_elected_one_is_eligible_with_the_most_votes_and_the_latest_of_equals() -> None:
    for sample in library().values():
        candidates = [work for work in sample.implementations if work.expect == "eligible"]
        best = max(work.score for work in candidates)
        latest = [work for work in candidates if work.score == best][-1]
        assert latest == sample.elected, sample.name


def test_several_functions_have_competitors_some_wrong_some_raising_few_too_slow() -> None:
    contested = [sample for sample in library().values() if len(sample.implementations) > 1]
    verdicts = [work.expect_verdict for sample in contested for work in sample.implementations]
    both_right = [
        s for s in contested if sum(work.expect == "eligible" for work in s.implementations) > 1
    ]
    assert len(contested) >= 8
    assert len(both_right) >= 8
    assert verdicts.count("failed") >= 8
    assert verdicts.count("error") >= 1
    assert 1 <= verdicts.count("time_limit") <= 3, (
        "each costs the sandbox two seconds of every full run"
    )
