"""Makes a database ready to serve: its tables, and in development something to look at."""

from collections.abc import Callable

from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.db.migrations.executor import MigrationExecutor

from functions.maintenance.sample_library import load_samples

DEMO_NAME = "demo"

Report = Callable[[str], None]


def ensure_tables(report: Report) -> None:
    """Migrate if something is to be migrated; finding that out is cheap, the command is not."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan:
        report(f"Migrating the database ({len(plan)} steps) ...")
        call_command("migrate", verbosity=0, interactive=False)


def ensure_demo_account() -> None:
    """Make the account demo / demo; only ever called in development."""
    if User.objects.filter(username=DEMO_NAME).exists():
        return
    try:
        with transaction.atomic():
            User.objects.create_user(DEMO_NAME, password=DEMO_NAME)
    except IntegrityError:
        # Another start made it meanwhile, which is all that was wanted.
        return


def ensure_samples(report: Report) -> None:
    """Load the sample functions; what is there already is left alone."""
    load_samples(report=report)
