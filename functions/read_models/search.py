"""Executes searches; each condition is a set of ids from an index."""

import re
from typing import Any

from django.contrib.auth.models import User
from django.contrib.postgres.search import SearchQuery, TrigramSimilarity
from django.db.models import Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Upper

from functions.models import Dependency, FormerName, Function, Implementation, Test, Work
from functions.models.search_expressions import LANGUAGE, has_id_among, words_of_function
from functions.names import name_key
from functions.source.search_query import Search

MAX_WORKS = 5_000  # works read per text search
LETTERS_INDEXED = 3  # of a trigram; shorter words only match as prefixes
_RUN = re.compile(r"\w+")
_NEEDS = {
    "tests": Q(status=Function.Status.IMPLEMENTED, untested=True),
    "implementation": Q(status=Function.Status.NOT_IMPLEMENTED),
    "repair": Q(status=Function.Status.BLOCKED),
    "help": ~Q(status=Function.Status.IMPLEMENTED),
}


def functions_found(search: Search) -> QuerySet[Function]:
    """Return the functions that match a search, unsorted."""
    found = Function.objects.filter(deleted_at=None)
    for word in search.words:
        found = found.filter(has_id_among(_with_word(word)))
    if search.kind:
        found = found.filter(kind=search.kind)
    if search.language:
        found = found.filter(elected__language=search.language)
    if search.status:
        found = found.filter(status=search.status)
    if search.needs:
        found = found.filter(_NEEDS[search.needs])
    for ids in _sets(search):
        found = found.filter(has_id_among(ids))
    return found


def names_like(text: str, *, limit: int = 5) -> list[str]:
    """Return the names most similar to this text, which may be misspelt; the best first."""
    similar = Function.objects.filter(deleted_at=None).annotate(upper=Upper("name"))
    similar = similar.filter(upper__trigram_similar=text.upper())
    rank = TrigramSimilarity("upper", text.upper())
    return list(similar.order_by(-rank, "name_key").values_list("name", flat=True)[:limit])


def best_known() -> tuple[str, str] | None:
    """Return the name and owner of the function that most others use."""
    known = Function.objects.filter(deleted_at=None, usage__dependents__gte=1)
    used = known.order_by("-usage__dependents", "-usage__function")
    return used.values_list("name", "owner__username").first()


def _with_word(word: str) -> QuerySet[Any, Any]:
    """Return the functions with this prefix of a word, or substring of name or signature.

    Two queries, as matches of the trigram index are rechecked, which is expensive for words.
    """
    living = Function.objects.filter(deleted_at=None)
    runs = _RUN.findall(word)
    if not runs:
        return living.none().values("pk")
    begun = " & ".join(f"'{run}':*" for run in runs)
    query = SearchQuery(begun, config=LANGUAGE, search_type="raw")
    found: QuerySet[Any, Any] = (
        living.alias(vector=words_of_function()).filter(vector=query).values("pk")
    )
    if all(len(run) < LETTERS_INDEXED for run in runs):
        return found
    # `all`: duplicate ids are harmless, and removing them would take longer.
    return found.union(
        living.filter(Q(name__icontains=word) | Q(signature__icontains=word)).values("pk"),
        all=True,
    )


def _sets(search: Search) -> list[QuerySet[Any, Any]]:
    sets = []
    if search.author:
        sets.append(_written_by(search.author))
    if search.uses:
        sets.append(_naming(search.uses))
    if search.used_by:
        sets.append(_named_by(search.used_by))
    if search.code:
        sets.append(_with_code(search.code))
    return sets


def _written_by(username: str) -> QuerySet[Any, Any]:
    named = User.objects.filter(username__iexact=username).values("pk")[:1]
    once_named = FormerName.objects.filter(name__iexact=username).values("user")[:1]
    author = Coalesce(Subquery(named), Subquery(once_named))
    owned: QuerySet[Any, Any] = Function.objects.filter(owner=author, deleted_at=None).values("pk")
    written = (works.filter(author=author).values("function") for works in _published())
    return owned.union(*written)


def _naming(name: str) -> QuerySet[Any, Any]:
    named = Dependency.objects.filter(_target(name))
    return _of_published(named, "implementation").union(_of_published(named, "test"))


def _of_published(named: QuerySet[Dependency], noun: str) -> QuerySet[Any, Any]:
    published: QuerySet[Any, Any] = named.filter(**{f"{noun}__state": Work.State.PUBLISHED})
    return published.values(f"{noun}__function")


def _target(name: str) -> Q:
    """Return the condition that a dependency has this name, defined or not."""
    key = name_key(name)
    function = Function.objects.filter(name_key=key, deleted_at=None)
    pk = function.values_list("pk", flat=True).first()
    return Q(target=None, name_key=key) if pk is None else Q(target=pk)


def _named_by(name: str) -> QuerySet[Any, Any]:
    user = Function.objects.filter(name_key=name_key(name), deleted_at=None).values("pk")[:1]
    by_works = (
        Dependency.objects.filter(
            **{f"{noun}__function": user, f"{noun}__state": Work.State.PUBLISHED},
            target__isnull=False,
        ).values("target")
        for noun in ("implementation", "test")
    )
    first, second = by_works
    return first.union(second)


def _with_code(text: str) -> QuerySet[Any, Any]:
    first, second = (
        works.filter(code__icontains=text).values("function")[:MAX_WORKS] for works in _published()
    )
    return first.union(second)


def _published() -> tuple[QuerySet[Implementation], QuerySet[Test]]:
    state = Work.State.PUBLISHED
    return Implementation.objects.filter(state=state), Test.objects.filter(state=state)
