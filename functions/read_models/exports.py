"""Exports of a function: its elected closure, and the tests that count."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from functools import lru_cache, partial

from django.db.models import Q, Sum
from django.db.models.functions import Length
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from functions.analysis.client import export_files
from functions.errors import Conflict, TooLarge
from functions.export import (
    Bundle,
    Piece,
    Release,
    TestPiece,
    sdist_bytes,
    sdist_name,
    wheel_bytes,
    wheel_name,
)
from functions.graph.algorithms import topological_order
from functions.graph.queries import closure_ids
from functions.kinds import kind_of
from functions.models import Dependency, Function, Implementation, Test, Work
from functions.read_models.snapshot import snapshot
from runner.programs.program import normalise_source

MAX_EXPORT_CHARACTERS = 1_000_000

_Links = dict[int, dict[str, int]]


@dataclass(frozen=True, slots=True)
class _ReleaseKey:
    """The key of a cached release: the owner of the request is not part of it."""

    bundle: Bundle
    owner: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Download:
    """An exported file."""

    filename: str
    what: str
    content_type: str
    make: Callable[[], bytes]

    @property
    def content(self) -> bytes:
        return self.make()


def downloads(release: Release) -> list[Download]:
    """Return the files of a release."""
    return [
        Download(
            f"{release.bundle.name}.py",
            _("One file, with all dependencies"),
            "text/x-python; charset=utf-8",
            release.single.encode,
        ),
        Download(
            wheel_name(release),
            _("A package to install, with its tests"),
            "application/zip",
            partial(wheel_bytes, release),
        ),
        Download(
            sdist_name(release),
            _("The package’s sources, for development"),
            "application/gzip",
            partial(sdist_bytes, release),
        ),
    ]


def load_release(function: Function, *, owner: str) -> Release:
    """Return a function's release. Raises Conflict if it is not implemented.

    `owner` identifies the client, whose concurrent analyses are limited.
    """
    with snapshot():
        bundle = _load_bundle(function)
    return _release(_ReleaseKey(bundle, owner))


# Cached, as the page and the files are usually requested together.
@lru_cache(maxsize=8)
def _release(release_key: _ReleaseKey) -> Release:
    files, single = export_files(release_key.bundle, owner=release_key.owner)
    return Release(release_key.bundle, files, single)


def _load_bundle(function: Function) -> Bundle:
    subject = Function.objects.filter(pk=function.pk, deleted_at=None).first()
    if subject is None or subject.status != Function.Status.IMPLEMENTED:
        raise Conflict(
            "not_implemented",
            _("%(name)s is not implemented, so it can't be exported yet.")
            % {"name": function.name},
        )
    closure = closure_ids([subject.pk])
    tests = Test.objects.filter(
        function__in=closure, function__deleted_at=None, state=Work.State.PUBLISHED, counts=True
    )
    test_links = _load_links(Q(test__in=tests), "test")
    named = {target for links in test_links.values() for target in links.values()}
    found = Function.objects.filter(pk__in=closure_ids([*closure, *named]), deleted_at=None)
    elected = found.exclude(elected=None)
    _refuse_too_large(
        elected.aggregate(size=Sum(Length("elected__code")))["size"],
        tests.aggregate(size=Sum(Length("code")))["size"],
    )
    functions = {
        row.pk: row for row in elected.select_related("owner", "elected__author").order_by("name")
    }
    _refuse_javascript(functions.values())
    tests = tests.filter(language=Work.Language.PYTHON)
    links = _load_links(
        Q(implementation__in=[row.elected_id for row in functions.values()]),
        "implementation__function",
    )
    return _bundle(
        subject,
        functions,
        links,
        list(tests.select_related("function", "author").order_by("function__name", "number")),
        test_links,
    )


def _refuse_javascript(functions: Iterable[Function]) -> None:
    """Raise Conflict if a function's current implementation isn't Python."""
    for function in functions:
        if function.elected and function.elected.language == Work.Language.JAVASCRIPT:
            message = _(
                "The current implementation of %(name)s is JavaScript, which a Python package "
                "can't contain. It can be called over the API."
            )
            raise Conflict("not_python", message % {"name": function.name})


def _bundle(
    subject: Function,
    functions: dict[int, Function],
    links: _Links,
    tests: Iterable[Test],
    test_links: _Links,
) -> Bundle:
    def edges(node: int) -> list[int]:
        # By name, as the version must not depend on the order of ids.
        return [pk for _, pk in sorted(links.get(node, {}).items()) if pk in functions]

    members = topological_order([subject.pk], edges)
    taken = [
        test for test in tests if functions.keys() >= set(test_links.get(test.pk, {}).values())
    ]
    named = {name: pk for test in taken for name, pk in test_links.get(test.pk, {}).items()}
    extras = topological_order([pk for _, pk in sorted(named.items())], edges)
    return Bundle(
        name=subject.name,
        pieces=tuple(_piece(functions[pk], _names(edges(pk), functions)) for pk in members),
        extras=tuple(
            _piece(functions[pk], _names(edges(pk), functions))
            for pk in extras
            if pk not in members
        ),
        tests=tuple(
            exported_test(test, uses=_names(test_links.get(test.pk, {}).values(), functions))
            for test in taken
        ),
    )


def _piece(function: Function, uses: tuple[str, ...]) -> Piece:
    work = function.elected
    if work is None:
        raise ValueError(f"{function.name} has no elected implementation")
    if not kind_of(function).has_exports:
        message = _("%(name)s is a page, which needs this site, so it can't be exported.")
        raise Conflict("not_exportable", message % {"name": function.name})
    others = tuple(name for name in uses if name != function.name)
    return exported_piece(function, work, code=work.module_source, uses=others)


def exported_piece(
    function: Function, work: Implementation, *, code: str, uses: tuple[str, ...]
) -> Piece:
    """Return an implementation, whose module has this code, as it is exported."""
    return Piece(
        name=function.name,
        signature=function.signature,
        description=function.description,
        owner=function.owner.get_username(),
        number=work.number or 0,
        title=work.title,
        author=work.author.get_username(),
        code=normalise_source(code),
        uses=uses,
        license=work.license,
    )


def exported_test(test: Test, *, uses: tuple[str, ...]) -> TestPiece:
    """Return a test as it is exported."""
    return TestPiece(
        function=test.function.name,
        number=test.number or 0,
        title=test.title,
        author=test.author.get_username(),
        code=normalise_source(test.code),
        uses=uses,
        given=tuple(kind_of(test.function).names_in_tests),
        license=test.license,
    )


def _names(ids: Collection[int], functions: dict[int, Function]) -> tuple[str, ...]:
    return tuple(sorted(functions[pk].name for pk in ids))


def _load_links(condition: Q, whose: str) -> _Links:
    """Return ids of the existing functions that works name: by the field `whose`, then by name."""
    rows = Dependency.objects.filter(condition).exclude(target=None)
    links: _Links = {}
    for owner, name, target in rows.values_list(whose, "name", "target"):
        links.setdefault(owner, {})[name] = target
    return links


def _refuse_too_large(*sizes: int | None) -> None:
    size = sum(one or 0 for one in sizes)
    if size > MAX_EXPORT_CHARACTERS:
        raise TooLarge(
            "too_large",
            _(
                "The export has %(size)s characters of code, and the limit is %(limit)s; "
                "export its dependencies one by one."
            )
            % {
                "size": number_format(size, force_grouping=True),
                "limit": number_format(MAX_EXPORT_CHARACTERS, force_grouping=True),
            },
        )
