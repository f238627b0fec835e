"""Canaries that a preview concerns."""

from functions.models import LockedRelease, Preview


def names_in(preview: Preview) -> set[str]:
    """Return the keys of the names whose meaning the change reaches, as far as they were tried."""
    tried = preview.effects.values_list("function__name_key", flat=True)
    return {preview.function.name_key, *tried}


def count_projects(preview: Preview) -> int:
    """Return the number of registered projects that have locked what the change reaches."""
    rows = LockedRelease.objects.filter(name_key__in=names_in(preview))
    return rows.values("canary").distinct().count()
