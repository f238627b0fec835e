"""PURE: a Python module with its tests, as functions with an implementation and tests each."""

import ast
from collections.abc import Collection, Iterable, Mapping

from functions.errors import Complaint, refuse_all
from functions.module_import.draft_texts import (
    brought_by,
    description_of,
    draft_code,
    owner_of,
    signature_of,
)
from functions.module_import.imports import Linked, Surroundings, link_imports, names_in
from functions.module_import.parts import Part, read_parts
from functions.module_import.plan_types import Plan, PlannedFunction, PlannedTest
from functions.module_import.pytest_rewrite import (
    CALLED_BY_NAME,
    WRITTEN_OUT,
    PlainTests,
    fixture_decorator,
    without_prefixes,
    written_out,
)
from functions.module_import.selection import gather
from functions.source.names import check_name, name_key
from functions.source.scopes import scope_of, top_level

MOST_FUNCTIONS = 50
MOST_TESTS = 200
LARGEST_PLAN_CHARACTERS = 500_000
_LONGEST_DESCRIPTION = 20_000
_LONGEST_TITLE = 120


def names_asked_for(module: str, tests: str) -> set[str]:
    """Return the names of which a plan must know whether the site has them, in small letters."""
    names = names_in(module) | names_in(tests)
    try:
        body = ast.parse(module).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        body = []
    names |= {
        node.name for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    return {name_key(name) for name in names}


def plan_import(
    module: str, tests: str, *, known: Mapping[str, str], importable: Collection[str]
) -> Plan:
    """Plan what an import makes; refuses all that can't be made of it, with the lines."""
    return _Planner(module, tests, known, importable).plan()


class _Planner:
    def __init__(
        self, module: str, tests: str, known: Mapping[str, str], importable: Collection[str]
    ) -> None:
        # What tests use of pytest is written out, so that they don't need it.
        importable = frozenset(importable) - {"pytest"}
        self._known = known
        self._importable = importable
        self._complaints: list[Complaint] = []
        self._notes: list[str] = []
        self._taken: set[int] = set()  # the lines of the module's parts that go along
        whole = self._read(module, "module", Surroundings(known, importable))
        self._targets = whole.targets
        self._whole = whole
        self._parts = [part for part in whole.parts if not _is_test(part)]
        self._public = self._find_public()
        own = frozenset().union(*(part.binds for part in self._parts))
        self._tests = self._read(tests, "tests", Surroundings(known, importable, own))

    def plan(self) -> Plan:
        drafts = {name: self._function(name) for name in self._public}
        refuse_all(self._complaints)
        brought = brought_by(drafts)
        for linked, field_name in ((self._whole, "module"), (self._tests, "tests")):
            linked.targets.update({**brought, **linked.targets})
            self._add_tests(drafts, linked, field_name)
        self._look_at_sizes(drafts.values())
        refuse_all(self._complaints)
        self._note_rest()
        return Plan(tuple(drafts.values()), tuple(dict.fromkeys(self._notes)))

    def _read(self, text: str, field_name: str, around: Surroundings) -> Linked:
        """Read a module; where names of modules stand before names, these go."""
        linked = link_imports(read_parts(text, field=field_name), around)
        for line, name in linked.unknown:
            self._notes.append(
                f"Line {line} of the {field_name}: {name} can't be imported here; where it is "
                "used the import stays, to be replaced by something else."
            )
        if not linked.prefixes:
            return linked
        tools = frozenset(WRITTEN_OUT)
        known = {each: tools if each == "pytest" else around.own for each in linked.prefixes}
        return link_imports(read_parts(without_prefixes(text, known), field=field_name), around)

    def _complain(self, field_name: str, code: str, line: int | None, message: str) -> None:
        said = f"Line {line}: {message}" if line else message
        self._complaints.append(Complaint(field_name, code, said, line))

    def _find_public(self) -> dict[str, Part]:
        listed = next((s.listed for s in (scope_of(p.text) for p in self._parts) if s.listed), None)
        public: dict[str, Part] = {}
        for part in self._parts:
            function = part.function
            if function is None or (listed is not None and function.name not in listed):
                continue
            if listed is None and function.name.startswith("_"):
                continue
            if fixture_decorator(function):
                continue
            public[function.name] = part
            self._check(function.name, part.line, public)
        if not public:
            message = "There is no public function at the top level of this module."
            self._complain("module", "nothing_to_import", None, message)
        return public

    def _check(self, name: str, line: int, public: Iterable[str]) -> None:
        if fault := check_name(name, importable=self._importable):
            self._complain("module", fault.code, line, fault.message)
        spelled = self._known.get(name_key(name), name)
        if spelled != name:
            said = f"{name} is spelled {spelled} here; rename it, or choose another name."
            self._complain("module", "name_taken", line, said)
        if [other for other in public if other != name and name_key(other) == name_key(name)]:
            said = f"{name} differs from another function only in small and capital letters."
            self._complain("module", "name_taken", line, said)

    def _function(self, name: str) -> PlannedFunction:
        part = self._public[name]
        taken, uses = gather(
            [part], self._parts, own=name, public=self._public, targets=self._targets
        )
        taken.sort(key=lambda one: one.line)
        self._note_copies(name, taken)
        self._taken |= {one.line for one in taken}
        node = part.function
        if node is None:
            raise TypeError(f"{name} is no function")
        return PlannedFunction(
            name=name,
            signature=signature_of(node),
            description=description_of(node)[:_LONGEST_DESCRIPTION],
            code=draft_code(taken, uses),
            line=part.line,
            exists=name_key(name) in self._known,
            uses=tuple(uses),
        )

    def _note_copies(self, name: str, taken: Iterable[Part]) -> None:
        """Say which classes and variables several drafts have, each for itself."""
        for part in taken:
            if part.is_import or part.function or part.is_future:
                continue
            sharing = [
                other
                for other, public in self._public.items()
                if other != name and public.uses & part.binds
            ]
            if sharing:
                bound = ", ".join(sorted(part.binds)) or f"line {part.line}"
                those = " and ".join(sorted([name, *sharing]))
                self._notes.append(f"{bound} goes along into {those}: each has one of its own.")

    def _add_tests(
        self, drafts: Mapping[str, PlannedFunction], linked: Linked, field_name: str
    ) -> None:
        plain = PlainTests(linked.parts, field_name)
        self._complaints += plain.complaints
        bound = frozenset().union(*(part.binds for part in plain.parts))
        parts = [*plain.parts, *(part for part in written_out() if not part.binds & bound)]
        taken: set[int] = set()
        for original, part in zip(linked.parts, plain.parts, strict=True):
            if original.function and original.function.name.startswith("test_"):
                name = original.function.name
                taken |= self._add_test(drafts, part, name, parts, linked, field_name)
            else:
                self._look_at_rest(original, field_name)
        if field_name == "tests":
            behind = [part for part in plain.parts if id(part) not in taken]
            self._note_behind(behind, "tests", "test")

    def _look_at_rest(self, part: Part, field_name: str) -> None:
        nodes = (node for one in part.statements for node in top_level([one]))
        if any(isinstance(node, ast.Assert) for node in nodes):
            said = "this stands outside of every test function; put it into one."
            self._complain(field_name, "unknown_to_import", part.line, said)
        if field_name == "tests" and part.function is not None:
            name = part.function.name
            if name in CALLED_BY_NAME:
                said = f"pytest calls {name} by itself, and nobody does so here; write it plainly."
                self._complain(field_name, "unknown_to_import", part.line, said)
            elif name.startswith("test"):
                said = f"{name} is taken for a test by pytest; call it test_, or otherwise."
                self._complain(field_name, "unknown_to_import", part.line, said)

    def _add_test(
        self,
        drafts: Mapping[str, PlannedFunction],
        part: Part,
        name: str,
        parts: list[Part],
        linked: Linked,
        field_name: str,
    ) -> set[int]:
        """Add a test to what it is of; returns which parts it took along."""
        others = [
            other
            for other in parts
            if other is part or not any(bound.startswith("test_") for bound in other.binds)
        ]
        taken, used = gather([part], others, own="", public=self._public, targets=linked.targets)
        owner = owner_of(name, used, drafts, part)
        if owner is None:
            said = f"{name} uses no function of the module, so it is nobody's test."
            self._complain(field_name, "unknown_to_import", part.line, said)
            return set()
        for each in taken:
            self._look_at_pytest(each, field_name)
        uses = [each for each in used if each != owner.name]
        title = name.removeprefix("test_").replace("_", " ").strip()[:_LONGEST_TITLE]
        owner.tests.append(PlannedTest(name, title, draft_code(taken, uses), part.line))
        return {id(each) for each in taken}

    def _look_at_pytest(self, part: Part, field_name: str) -> None:
        for node in ast.walk(ast.parse(part.text)):
            if isinstance(node, ast.Name) and node.id == "pytest":
                said = "this part of pytest has no counterpart here; write it plainly."
                self._complain(field_name, "unknown_to_import", part.line, said)
                return

    def _note_rest(self) -> None:
        """Say what stays behind."""
        behind = [part for part in self._parts if part.line not in self._taken]
        self._note_behind(behind, "module", "function")

    def _note_behind(self, parts: Iterable[Part], field_name: str, noun: str) -> None:
        for part in parts:
            is_meant = part.is_import or part.is_docstring or part.is_future
            if not is_meant and "__all__" not in part.binds:
                what = ", ".join(sorted(part.binds)) or "what stands there"
                self._notes.append(
                    f"Line {part.line} of the {field_name}: {what} is used by no {noun} and stays "
                    "behind."
                )

    def _look_at_sizes(self, drafts: Iterable[PlannedFunction]) -> None:
        planned = list(drafts)
        tests = [test for draft in planned for test in draft.tests]
        size = sum(len(one.code) for one in planned) + sum(len(one.code) for one in tests)
        if (
            len(planned) > MOST_FUNCTIONS
            or len(tests) > MOST_TESTS
            or size > LARGEST_PLAN_CHARACTERS
        ):
            said = (
                f"This makes {len(planned)} functions and {len(tests)} tests with {size:,} "
                f"characters; at once {MOST_FUNCTIONS}, {MOST_TESTS} and "
                f"{LARGEST_PLAN_CHARACTERS:,} are taken. Split the module."
            )
            self._complain("module", "too_large", None, said)


def _is_test(part: Part) -> bool:
    return part.function is not None and part.function.name.startswith("test_")
