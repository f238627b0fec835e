"""docs/roles.md names every page, every operation of the API and every kind of topic."""

from django.urls import get_resolver

from tests.support.roles import API, DJANGOS, api_entries, patterns, promised, topic_kinds


def test_the_table_of_roles_names_every_route_and_no_other() -> None:
    names = [name for _, name, _ in promised()]
    assert len(names) == len(set(names))
    pages = {
        name
        for route, name, _ in patterns(get_resolver())
        if name and not route.startswith(API) and not name.startswith(DJANGOS)
    }
    topics = {f"topic {kind}" for kind in topic_kinds()}
    expected = {*(entry.name for entry in api_entries()), *topics}
    listed_pages = {name.partition(" ")[2] for name in set(names) - expected}
    assert listed_pages == pages
    assert expected <= set(names)
