"""Prepares a database: tables, and in development an account and samples."""

from collections.abc import Callable

from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.db.migrations.executor import MigrationExecutor

from functions.maintenance.sample_library import load_samples

DEMO_NAME = "demo"

Report = Callable[[str], None]


def ensure_tables(report: Report) -> None:
    """Migrate if needed; the check is cheap, the command isn't."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan:
        report(f"Migrating the database ({len(plan)} steps) ...")
        call_command("migrate", verbosity=0, interactive=False)


def ensure_demo_account() -> None:
    """Create the account demo / demo; only called in development."""
    if User.objects.filter(username=DEMO_NAME).exists():
        return
    try:
        with transaction.atomic():
            User.objects.create_user(DEMO_NAME, password=DEMO_NAME)
    except IntegrityError:
        # A concurrent start has created it.
        return


def ensure_samples(report: Report) -> None:
    """Load missing sample functions."""
    load_samples(report=report)
