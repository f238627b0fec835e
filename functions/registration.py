"""The product's functions that the runner calls, in one table."""

from collections.abc import Collection
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import QuerySet

from functions import models
from functions.acceptance import verdicts
from functions.calls.commands import remove_old_requests
from functions.canaries.notices import MAX_NAMES, TELL, sweep_canaries, tell
from functions.collections.rules import may_read_all
from functions.contests import private_runs
from functions.contests.evaluation import RECONCILE, RECORDER, record_verdicts, results_in_use
from functions.document_revisions import decision, proposals
from functions.document_views import build
from functions.document_views.ownership import may_read_view
from functions.document_views.updates import sweep_changes
from functions.elections.acceptance_review import REVIEW
from functions.elections.reconciler import MAX_FUNCTIONS, reconcile
from functions.elections.releases import sweep_releases
from functions.maintenance import runtime_upgrade
from functions.maintenance.kept_answers import remove_old_answers
from functions.models import (
    AcceptanceTest,
    DocumentView,
    Function,
    Implementation,
    Preview,
    Role,
    Test,
)
from functions.notifications.delivery import (
    deliver,
    notify_failing,
    read_watchers,
    remove_notifications,
)
from functions.notifications.person_watches import PERSON_WATCHERS, read_person_watchers
from functions.notifications.voters import VOTERS, read_voters
from functions.notifications.watches import DELIVER, NOTIFY_FAILING, WATCHERS
from functions.permissions import agent_share, agents_charged, person_charged
from functions.previews import notices, steps
from functions.releases.build import build_releases, retry_releases
from functions.voting.agent_votes import CHECK_SECONDS, correct_votes
from functions.voting.history import remove_old_changes
from functions.voting.tallies import Tally
from functions.voting.votables import VOTABLES
from functions.webhooks.deliveries import remove_old_deliveries
from functions.webhooks.events import FAN_OUT
from functions.webhooks.fan_out import MAX_EVENTS, fan_out_events
from functions.webhooks.sender import Sender
from runner.registry import (
    Actor,
    FollowUpHandler,
    Handlers,
    PeriodicTask,
    Step,
    for_each_target,
)

MAX_DIGITS = 18  # of a row's id

_DRAFTS: dict[str, type[Implementation] | type[Test] | type[AcceptanceTest]] = {
    "implementation": Implementation,
    "test": Test,
    "acceptance": AcceptanceTest,
}


def existing_functions(row_ids: Collection[str]) -> set[str]:
    """Return the ids of the existing functions, whose topics are public."""
    return _existing(Function.objects.filter(deleted_at=None), row_ids)


def may_follow_draft(actor: Actor, row_id: str) -> bool:
    """Return whether the actor is the draft's author."""
    noun, _, number = row_id.partition("-")
    model = _DRAFTS.get(noun)
    if model is None or not _is_canonical(number) or not actor.is_authenticated:
        return False
    return model.objects.filter(pk=number, author=actor.pk).exists()


def may_follow_preview(actor: Actor, row_id: str) -> bool:
    """Return whether the actor owns the preview."""
    if not _is_canonical(row_id) or not actor.is_authenticated:
        return False
    return Preview.objects.filter(pk=row_id, owner=actor.pk).exists()


def existing_acceptance_tests(row_ids: Collection[str]) -> set[str]:
    """Return the ids of the existing acceptance tests, whose topics are public."""
    return _existing(AcceptanceTest.objects.all(), row_ids)


def may_follow_view(actor: Actor, row_id: str) -> bool:
    """Return whether the actor may read the document view."""
    view = DocumentView.objects.filter(pk=row_id).first() if _is_canonical(row_id) else None
    return view is not None and may_read_view(actor, view)


def public_collections(row_ids: Collection[str]) -> set[str]:
    """Return the ids of the collections that everyone may read, whose topics are public."""
    return _existing(models.Collection.objects.filter(may_read=Role.EVERYONE), row_ids)


def may_follow_collection(actor: Actor, row_id: str) -> bool:
    """Return whether the actor may read all items of the collection."""
    if not _is_canonical(row_id):
        return False
    found = models.Collection.objects.filter(pk=row_id).first()
    return found is not None and may_read_all(actor, found)


def may_follow_user(actor: Actor, row_id: str) -> bool:
    """Return whether the topic is the actor's own."""
    return actor.is_authenticated and row_id == str(actor.pk)


def names_of_users(ids: Collection[int]) -> dict[int, str]:
    """Return the names of these users, without suspended ones."""
    active = get_user_model().objects.filter(pk__in=ids, is_active=True)
    return dict(active.values_list("pk", "username"))


def _existing(rows: QuerySet[Any], row_ids: Collection[str]) -> set[str]:
    numbers = [int(row_id) for row_id in row_ids if _is_canonical(row_id)]
    return {str(pk) for pk in rows.filter(pk__in=numbers).values_list("pk", flat=True)}


def _is_canonical(number: str) -> bool:
    """Return whether this is the canonical spelling of a possible id.

    Other spellings would create topics of their own, and PostgreSQL would compare all ids in a
    query as decimals if one of them is too large.
    """
    is_number = number.isascii() and number.isdecimal() and len(number) <= MAX_DIGITS
    return is_number and str(int(number)) == number


HANDLERS = Handlers(
    recorders={
        RECORDER: record_verdicts,
        private_runs.RECORDER: private_runs.record_private_runs,
        steps.RECORDER: steps.record_previews,
        verdicts.RECORDER: verdicts.record_acceptance,
        proposals.RECORDER: decision.record_revisions,
    },
    follow_ups={
        RECONCILE: FollowUpHandler(reconcile, MAX_FUNCTIONS),
        REVIEW: for_each_target(verdicts.review),
        TELL: FollowUpHandler(tell, MAX_NAMES),
        proposals.DECIDE: for_each_target(decision.decide),
        NOTIFY_FAILING: for_each_target(notify_failing),
        FAN_OUT: FollowUpHandler(fan_out_events, MAX_EVENTS),
    },
    sources={
        steps.ITSELF: steps.read_itself,
        steps.DEPENDENTS: steps.read_dependents,
        notices.CANARIES: notices.read_canaries,
        WATCHERS: read_watchers,
        PERSON_WATCHERS: read_person_watchers,
        VOTERS: read_voters,
        runtime_upgrade.FUNCTIONS: runtime_upgrade.read_functions,
        build.RECORDS: build.read_view_records,
    },
    steps={
        steps.DECIDE: Step(steps.decide, fail=steps.give_up),
        steps.TRY: Step(steps.plan_dependents, steps.finish, steps.give_up),
        notices.DELIVER: Step(notices.deliver_preview),
        DELIVER: Step(deliver),
        build.FILL: Step(build.fill, build.finish),
        runtime_upgrade.RERUN: Step(runtime_upgrade.enqueue_rerun, runtime_upgrade.finish_rerun),
    },
    views={
        **{votable.view_name: Tally(votable) for votable in VOTABLES.values()},
        **{votable.agent_view_name: Tally(votable, apart=True) for votable in VOTABLES.values()},
    },
    topic_permissions={
        "collection": may_follow_collection,
        "draft": may_follow_draft,
        "preview": may_follow_preview,
        "user": may_follow_user,
        "view": may_follow_view,
    },
    public_topics={
        "function": existing_functions,
        "acceptance": existing_acceptance_tests,
        "collection": public_collections,
    },
    # Drafts have no audience, as only their authors see them.
    audiences={"function": names_of_users},
    payer_lookups={person_charged},
    share_lookups={agent_share},
    charged_lookups={agents_charged},
    retention_rules={results_in_use, verdicts.keys_in_use},
    periodic_tasks={
        PeriodicTask("notifications", 3_600, remove_notifications),
        PeriodicTask("agent-votes", CHECK_SECONDS, correct_votes),
        PeriodicTask("vote-history", 3_600, remove_old_changes),
        PeriodicTask("kept-answers", 3_600, remove_old_answers),
        PeriodicTask("applied-requests", 3_600, remove_old_requests),
        PeriodicTask("document-views", 0, sweep_changes),
        PeriodicTask("missing-releases", 3_600, sweep_releases),
        PeriodicTask("release-files", 0, build_releases),
        PeriodicTask("failed-releases", 3_600, retry_releases),
        PeriodicTask("webhook-deliveries", 3_600, remove_old_deliveries),
        PeriodicTask("canaries", 60, sweep_canaries),
        PeriodicTask("runtime", runtime_upgrade.CHECK_SECONDS, runtime_upgrade.check_runtime),
    },
    worker_services={Sender},
)
