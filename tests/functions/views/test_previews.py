"""Previews as forms ask for them and pages show them."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from functions.models import Preview
from functions.previews import preview_publishing
from runner.models import Batch
from runner.workers.drainer import Drainer
from tests.functions.views.conftest import SignedIn
from tests.support.works import (
    account,
    constant,
    define,
    draft_implementation,
    implement,
    publish_test,
)

pytestmark = pytest.mark.django_db(transaction=True)


def test_each_form_has_a_preview_that_changes_nothing(
    worker: Drainer, as_person: SignedIn, client: Client
) -> None:
    base = define("Base", owner="olga")
    work = implement(base, constant("Base", 1), author="ida")
    draft = draft_implementation(base, constant("Base", 2), author="ida")
    implement(define("Top"), "# <<Base>>\ndef Top():\n    return Base()\n")
    worker.drain()
    ida, olga = as_person("ida"), as_person("olga")
    pages = {
        f"/drafts/implementation/{draft.pk}/": (ida, "preview/", {"code": draft.code}),
        "/functions/Base/": (ida, f"/implementations/{work.pk}/withdraw/preview/", {}),
        "/functions/Base/#I1": (
            olga,
            f"/implementations/{work.pk}/judge/preview/",
            {"verdict": "reject"},
        ),
        "/functions/Base/delete/": (olga, "/functions/Base/delete/preview/", {}),
    }
    for page, (person, path, typed) in pages.items():
        action = path if path.startswith("/") else f"{page}{path}"
        assert f'formaction="{action}"' in person.get(page).content.decode(), page
        assert person.get(action).status_code == 405
        assert client.post(action, typed)["Location"].startswith("/accounts/login/")
        answer = person.post(action, typed)
        preview = Preview.objects.latest("pk")
        assert answer["Location"] == f"/previews/{preview.pk}/"
        worker.drain()
        shown = person.get(f"/previews/{preview.pk}/").content.decode()
        assert "Nothing has been changed" in shown
        assert ">Top</a>" in shown
        assert as_person("eve").get(f"/previews/{preview.pk}/").status_code == 404
    work.refresh_from_db()
    assert (work.state, work.acceptable) == ("published", None)
    refused = as_person("eve").post(
        f"/implementations/{work.pk}/judge/preview/", {"verdict": "accept"}
    )
    assert refused.status_code == 403
    run = ida.get(f"/runs/{Preview.objects.earliest('pk').batch_id}/").content.decode()
    assert "Preview for Base" in run


def test_the_page_asks_no_more_for_ten_dependents_than_for_one_and_starts_nothing(
    worker: Drainer, as_person: SignedIn
) -> None:
    base = define("Base")
    implement(base, constant("Base", 1))
    draft = draft_implementation(base, constant("Base", 5))
    counts = []
    for first, last in ((0, 1), (1, 10)):
        for number in range(first, last):
            top = define(f"Top{number}")
            publish_test(top, f"assert Top{number}() == 1")
            implement(top, f"# <<Base>>\ndef Top{number}():\n    return Base()\n")
        worker.drain()
        preview = preview_publishing(actor=account("ida"), draft=draft)
        worker.drain()
        reader = as_person("ida")
        batches = Batch.objects.count()
        with CaptureQueriesContext(connection) as queries:
            shown = reader.get(f"/previews/{preview.pk}/").content.decode()
        assert shown.count("does not pass T1") == last
        assert Batch.objects.count() == batches
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 20
