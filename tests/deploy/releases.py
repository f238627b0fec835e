"""The release before this one: its migrations, and its tree if the history is there."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection, migrations
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from tests.deploy.files import ROOT, read

PREVIOUS = json.loads(read("previous-release.json"))
MIGRATIONS: list[tuple[str, str]] = [*PREVIOUS["migrations"].items()]
# Reversible, and without effect on programs that don't know what was added.
HARMLESS = (
    *(migrations.CreateModel, migrations.AddIndex, migrations.RemoveIndex, migrations.RenameIndex),
    *(migrations.AlterModelOptions, migrations.AlterModelManagers, migrations.RemoveConstraint),
)


def migrate_back() -> None:
    """Undo the migrations since the previous release."""
    for app, name in MIGRATIONS:
        call_command("migrate", app, name, verbosity=0)


def unpack(folder: Path) -> Path:
    """Write the tree of the previous release; skip the test where the history lacks it."""
    archive = subprocess.run(
        ["git", "archive", PREVIOUS["commit"]], cwd=ROOT, capture_output=True, check=False
    )
    if archive.returncode:
        pytest.skip("the previous release is not in this repository, so it is not upgraded")
    folder.mkdir()
    subprocess.run(["tar", "-x"], cwd=folder, input=archive.stdout, check=True)
    return folder


def obstacles() -> Iterator[str]:
    """Say which operations since the previous release its programs could not live with."""
    graph = MigrationLoader(None).graph
    former = graph.make_state(nodes=MIGRATIONS, at_end=True)
    state = former.clone()
    known = {node for leaf in MIGRATIONS for node in graph.forwards_plan(leaf)}
    leaves = [leaf for leaf in graph.leaf_nodes() if leaf[0] in PREVIOUS["migrations"]]
    plan = dict.fromkeys(node for leaf in leaves for node in graph.forwards_plan(leaf))
    for app, name in [node for node in plan if node not in known]:
        for operation in graph.nodes[app, name].operations:
            before = state.clone()
            operation.state_forwards(app, state)
            model = getattr(operation, "model_name", "")
            is_new = bool(model) and (app, model.lower()) not in former.models
            if not is_new and not _expands(operation, app, before, state):
                yield f"{app}.{name}: {operation.describe()}"


def _expands(operation: Operation, app: str, before: ProjectState, after: ProjectState) -> bool:
    """Tell whether programs that don't know of it can read and write all that they know."""
    match operation:
        case migrations.AddField(field=field):
            return bool(field.null or field.has_db_default() or field.many_to_many)
        case migrations.AlterField(model_name=model, name=name):
            columns = [
                one.apps.get_model(app, model)._meta.get_field(name) for one in (before, after)
            ]
            former, new = [(one.db_type(connection), one.null) for one in columns]
            return former == new or new == (former[0], True)
        case migrations.SeparateDatabaseAndState(database_operations=operations):
            return all(_expands(one, app, before, after) for one in operations)
        case migrations.RunPython() | migrations.RunSQL():
            return bool(operation.reversible)
    return isinstance(operation, HARMLESS)
