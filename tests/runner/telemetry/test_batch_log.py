"""What the log says of batches: one line when they are submitted, one when they have ended."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from django.contrib.auth.models import User

from runner.models import Batch
from tests.support.site import ROOT, url_of_test_database

pytestmark = pytest.mark.django_db(transaction=True)

HEAD = """
import os
import django
django.setup()
from django.contrib.auth.models import User
from django.db import transaction
from runner.batches.cancellation import cancel_batches
from runner.workers.claims import claim
from tests.support.batches import execute, program, submit
owner = User.objects.get()
"""
# Threads that wait for nothing are left as they are: there is no more to be said.
TAIL = "\nos._exit(0)\n"


def lines_of(script: str) -> list[dict[str, Any]]:
    """Return what a process that does this logs about batches."""
    ended = subprocess.run(
        [sys.executable, "-c", HEAD + script + TAIL],
        cwd=ROOT,
        env={
            **os.environ,
            "DATABASE_URL": url_of_test_database(),
            "DJANGO_SETTINGS_MODULE": "socialcode.settings",
            "SOCIALCODE_LOG_JSON": "1",
            "SOCIALCODE_LOG_LEVEL": "INFO",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    lines = [json.loads(line) for line in ended.stderr.splitlines()]
    return [line for line in lines if line["logger"] == "runner.telemetry.batch_log"]


def test_batch_is_logged_when_it_is_submitted_and_when_it_has_ended() -> None:
    owner = User.objects.create_user("ada")
    submitted, ended = lines_of(
        "submit([program(), program()], owner=owner, cause='a test')\n"
        "for claimed in claim('a worker').claims:\n    execute(claimed)\n"
    )
    batch = Batch.objects.get()
    about = {"batch": batch.pk, "owner": owner.pk, "parent": None, "cause": "a test"}
    assert submitted.items() >= (about | {"tasks": 2, "is_loaded": True}).items()
    assert submitted["event"] == "batch submitted"
    assert ended["event"] == "batch ended"
    told = about | {"state": "complete", "total": 2, "tasks": {"succeeded": 2}}
    assert {name: ended[name] for name in told} == told
    assert batch.finished_at
    assert ended["seconds"] == round((batch.finished_at - batch.created_at).total_seconds(), 3)


def test_batch_that_was_cancelled_is_logged_so() -> None:
    User.objects.create_user("ada")
    *_, ended = lines_of(
        "batch = submit([program(), program()], owner=owner)\n"
        "execute(claim('a worker').claims[0])\n"
        "cancel_batches([batch])\n"
    )
    assert ended["state"] == "cancelled"
    assert ended["tasks"] == {"succeeded": 1, "cancelled": 1}


def test_batch_that_is_not_committed_or_asked_for_twice_is_not_logged() -> None:
    User.objects.create_user("ada")
    lines = lines_of(
        "with transaction.atomic():\n"
        "    submit([program()])\n"
        "    transaction.set_rollback(True)\n"
        "wanted = program()\n"
        "for _ in range(2):\n"
        "    submit([wanted], owner=owner, request_key='once')\n"
    )
    assert [line["event"] for line in lines] == ["batch submitted"]
