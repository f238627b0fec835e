"""PURE: plans the import of a module and its tests as functions with works."""

import ast
from collections.abc import Collection, Iterable, Mapping

from functions.errors import Complaint, refuse_all
from functions.errors import gettext as _
from functions.module_import.draft_texts import (
    description_of,
    draft_code,
    providers_of,
    signature_of,
    tested_function,
)
from functions.module_import.imports import ImportContext, LinkedModule, link_imports, names_in
from functions.module_import.parts import Part, read_parts
from functions.module_import.plan_types import Plan, PlannedFunction, PlannedTest
from functions.module_import.pytest_rewrite import (
    CALLED_BY_NAME,
    REPLACEMENTS,
    PlainTests,
    fixture_decorator,
    replacement_parts,
    without_prefixes,
)
from functions.module_import.selection import select_parts
from functions.names import name_key
from functions.source.name_check import check_name
from functions.source.scopes import scope_of, top_level

MAX_FUNCTIONS = 50
MAX_TESTS = 200
MAX_PLAN_CHARACTERS = 500_000
_MAX_DESCRIPTION_LENGTH = 20_000
_MAX_TITLE_LENGTH = 120


def names_to_look_up(module: str, tests: str) -> set[str]:
    """Return the names, in lower case, that a plan has to look up on the site."""
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
    """Return the plan of an import. Raises Refusal with all problems and their lines."""
    return _Planner(module, tests, known, importable).plan()


class _Planner:
    def __init__(
        self, module: str, tests: str, known: Mapping[str, str], importable: Collection[str]
    ) -> None:
        # Uses of pytest are replaced by plain code.
        importable = frozenset(importable) - {"pytest"}
        self._known = known
        self._importable = importable
        self._complaints: list[Complaint] = []
        self._notes: list[str] = []
        self._taken: set[int] = set()  # first lines of the module's parts that are taken
        whole = self._read(module, "module", ImportContext(known, importable))
        self._targets = whole.targets
        self._whole = whole
        self._parts = [part for part in whole.parts if not _is_test(part)]
        self._public = self._find_public()
        own = frozenset().union(*(part.binds for part in self._parts))
        self._tests = self._read(tests, "tests", ImportContext(known, importable, own))

    def plan(self) -> Plan:
        drafts = {name: self._function(name) for name in self._public}
        refuse_all(self._complaints)
        providers = providers_of(drafts)
        for linked, field_name in ((self._whole, "module"), (self._tests, "tests")):
            linked.targets.update({**providers, **linked.targets})
            self._add_tests(drafts, linked, field_name)
        self._check_size(drafts.values())
        refuse_all(self._complaints)
        self._note_rest()
        return Plan(tuple(drafts.values()), tuple(dict.fromkeys(self._notes)))

    def _read(self, text: str, field_name: str, around: ImportContext) -> LinkedModule:
        """Read a module, and remove module prefixes of imported names."""
        linked = link_imports(read_parts(text, field=field_name), around)
        for line, name in linked.unknown:
            self._notes.append(
                f"Line {line} of the {field_name}: {name} can't be imported here. Replace the "
                "import where it is used."
            )
        if not linked.prefixes:
            return linked
        tools = frozenset(REPLACEMENTS)
        known = {each: tools if each == "pytest" else around.own for each in linked.prefixes}
        return link_imports(read_parts(without_prefixes(text, known), field=field_name), around)

    def _complain(self, field_name: str, code: str, line: int | None, message: str) -> None:
        message = f"Line {line}: {message}" if line else message
        self._complaints.append(Complaint(field_name, code, message, line))

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
            message = _("This module has no public function at its top level.")
            self._complain("module", "nothing_to_import", None, message)
        return public

    def _check(self, name: str, line: int, public: Iterable[str]) -> None:
        if fault := check_name(name, importable=self._importable):
            self._complain("module", fault.code, line, fault.message)
        spelled = self._known.get(name_key(name), name)
        if spelled != name:
            message = f"{name} is spelled {spelled} here; use that spelling, or another name."
            self._complain("module", "name_taken", line, message)
        if [other for other in public if other != name and name_key(other) == name_key(name)]:
            message = f"{name} differs from another function only in case."
            self._complain("module", "name_taken", line, message)

    def _function(self, name: str) -> PlannedFunction:
        part = self._public[name]
        taken, uses = select_parts(
            [part], self._parts, own=name, public=self._public, targets=self._targets
        )
        taken.sort(key=lambda one: one.line)
        self._note_copies(name, taken)
        self._taken |= {one.line for one in taken}
        node = part.function
        if node is None:
            raise TypeError(f"{name} is not a function")
        return PlannedFunction(
            name=name,
            signature=signature_of(node),
            description=description_of(node)[:_MAX_DESCRIPTION_LENGTH],
            code=draft_code(taken, uses),
            line=part.line,
            exists=name_key(name) in self._known,
            uses=tuple(uses),
        )

    def _note_copies(self, name: str, taken: Iterable[Part]) -> None:
        """Note classes and variables that are copied into several drafts."""
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
                self._notes.append(f"{bound} is copied into {those}, so they don't share it.")

    def _add_tests(
        self, drafts: Mapping[str, PlannedFunction], linked: LinkedModule, field_name: str
    ) -> None:
        plain = PlainTests(linked.parts, field_name)
        self._complaints += plain.complaints
        bound = frozenset().union(*(part.binds for part in plain.parts))
        parts = [*plain.parts, *(part for part in replacement_parts() if not part.binds & bound)]
        taken: set[int] = set()
        for original, part in zip(linked.parts, plain.parts, strict=True):
            if original.function and original.function.name.startswith("test_"):
                name = original.function.name
                taken |= self._add_test(drafts, part, name, parts, linked, field_name)
            else:
                self._check_rest(original, field_name)
        if field_name == "tests":
            left_out = [part for part in plain.parts if id(part) not in taken]
            self._note_left_out(left_out, "tests", "test")

    def _check_rest(self, part: Part, field_name: str) -> None:
        nodes = (node for one in part.statements for node in top_level([one]))
        if any(isinstance(node, ast.Assert) for node in nodes):
            message = "this assertion is outside of all test functions; put it into one."
            self._complain(field_name, "unknown_to_import", part.line, message)
        if field_name == "tests" and part.function is not None:
            name = part.function.name
            if name in CALLED_BY_NAME:
                message = f"pytest calls {name} by itself, but this site doesn't; call it in tests."
                self._complain(field_name, "unknown_to_import", part.line, message)
            elif name.startswith("test"):
                message = (
                    f"pytest runs {name} as a test; begin its name with test_, or not with test."
                )
                self._complain(field_name, "unknown_to_import", part.line, message)

    def _add_test(
        self,
        drafts: Mapping[str, PlannedFunction],
        part: Part,
        name: str,
        parts: list[Part],
        linked: LinkedModule,
        field_name: str,
    ) -> set[int]:
        """Add a test to its function; return the ids of the parts it uses."""
        others = [
            other
            for other in parts
            if other is part or not any(bound.startswith("test_") for bound in other.binds)
        ]
        taken, used = select_parts(
            [part], others, own="", public=self._public, targets=linked.targets
        )
        owner = tested_function(name, used, drafts, part)
        if owner is None:
            message = f"{name} uses no function of the module, so it tests nothing."
            self._complain(field_name, "unknown_to_import", part.line, message)
            return set()
        for each in taken:
            self._check_pytest(each, field_name)
        uses = [each for each in used if each != owner.name]
        title = name.removeprefix("test_").replace("_", " ").strip()[:_MAX_TITLE_LENGTH]
        owner.tests.append(PlannedTest(name, title, draft_code(taken, uses), part.line))
        return {id(each) for each in taken}

    def _check_pytest(self, part: Part, field_name: str) -> None:
        for node in ast.walk(ast.parse(part.text)):
            if isinstance(node, ast.Name) and node.id == "pytest":
                message = "this part of pytest is not supported here; use plain Python."
                self._complain(field_name, "unknown_to_import", part.line, message)
                return

    def _note_rest(self) -> None:
        """Note the parts that are not imported."""
        left_out = [part for part in self._parts if part.line not in self._taken]
        self._note_left_out(left_out, "module", "function")

    def _note_left_out(self, parts: Iterable[Part], field_name: str, noun: str) -> None:
        for part in parts:
            is_expected = part.is_import or part.is_docstring or part.is_future
            if not is_expected and "__all__" not in part.binds:
                what = ", ".join(sorted(part.binds)) or "the statement"
                self._notes.append(
                    f"Line {part.line} of the {field_name}: "
                    f"{what} is used by no {noun} and left out."
                )

    def _check_size(self, drafts: Iterable[PlannedFunction]) -> None:
        planned = list(drafts)
        tests = [test for draft in planned for test in draft.tests]
        size = sum(len(one.code) for one in planned) + sum(len(one.code) for one in tests)
        if len(planned) > MAX_FUNCTIONS or len(tests) > MAX_TESTS or size > MAX_PLAN_CHARACTERS:
            message = (
                f"This makes {len(planned)} functions and {len(tests)} tests with {size:,} "
                f"characters; the limits are {MAX_FUNCTIONS}, {MAX_TESTS} and "
                f"{MAX_PLAN_CHARACTERS:,}. Split the module."
            )
            self._complain("module", "too_large", None, message)


def _is_test(part: Part) -> bool:
    return part.function is not None and part.function.name.startswith("test_")
