"""Gives every run of pytest its own PostgreSQL and Valkey, started before Django is set up."""

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest

from socialcode.embedded.children import stop_child
from socialcode.embedded.engines import Engines
from tests.plugins import template

engines_key = pytest.StashKey[Engines]()
template_key = pytest.StashKey[subprocess.Popen[bytes]]()

TEST_ENVIRONMENT = {
    "DJANGO_SETTINGS_MODULE": "socialcode.settings",
    "DJANGO_ALLOW_ASYNC_UNSAFE": "1",
    "SECRET_KEY": "for-tests-only-" * 4,
    "SOCIALCODE_COLLECTED_STATIC": "0",
    "SOCIALCODE_DATABASE_POOL": "0",
    "SOCIALCODE_DEVELOPMENT": "0",
    "SOCIALCODE_LOG_LEVEL": "WARNING",
    "SOCIALCODE_PASSWORD_HASHERS": "django.contrib.auth.hashers.MD5PasswordHasher",
    "SOCIALCODE_RATE_LIMITS": "0",
    "SOCIALCODE_SECURE": "0",
}


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Start the engines in the controller; a worker takes a corner of its own in them."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker:
        number = int(worker.removeprefix("gw")) + 1
        address = os.environ["REDIS_URL"].rsplit("?", 1)[0]
        os.environ["REDIS_URL"] = f"{address}?db={number}"
        os.environ["SOCIALCODE_CHANNEL_PREFIX"] = f"socialcode-{worker}"
        return
    folder = Path(tempfile.mkdtemp(prefix="socialcode-tests-"))
    os.environ.update(TEST_ENVIRONMENT)
    os.environ["SOCIALCODE_VAR"] = str(folder)
    engines = Engines(
        folder,
        durable=False,
        postgres="DATABASE_URL" not in os.environ,
        valkey="REDIS_URL" not in os.environ,
    ).start()
    early_config.stash[engines_key] = engines
    os.environ.setdefault("DATABASE_URL", engines.places.database_url)
    os.environ.setdefault("REDIS_URL", engines.places.redis_url)
    if early_config.known_args_namespace.numprocesses:
        early_config.stash[template_key] = template.begin(folder)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the engines and remove their files."""
    making = config.stash.get(template_key, None)
    if making is not None:
        stop_child(making, signal.SIGKILL)
    engines = config.stash.get(engines_key, None)
    if engines is not None:
        engines.stop()
        shutil.rmtree(engines.places.root, ignore_errors=True)
