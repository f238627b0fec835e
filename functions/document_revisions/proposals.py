"""Proposes revisions: a change of a published document is run like a draft before it is shown."""

from collections.abc import Collection
from functools import partial

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from functions.authoring.validation import check_first, find_links, find_obstacles, read_code
from functions.contests.contest import Contest, Pair
from functions.contests.evaluation import pairs_with, submit_pairs
from functions.contests.loader import load_contest
from functions.contests.programs import ProgramBuilder
from functions.document_revisions.versions import hash_of
from functions.errors import Conflict, Outdated, Refusal, refuse_all
from functions.kinds import generate_module, kind_of_work
from functions.kinds.document_source import parse_document
from functions.kinds.kind import Checked
from functions.locks import lock_function, lock_published
from functions.models import DocumentRevision, Implementation
from functions.permissions import require_unarchived
from runner.pipelines.outbox import enqueue_follow_up
from runner.programs.program import source_hash

RECORDER = "functions.revisions"
DECIDE = "functions.revision"
State = DocumentRevision.State


def propose_revision(
    *,
    editor: User,
    work: Implementation,
    code: str,
    base: bytes = b"",
    restores: int | None = None,
) -> DocumentRevision:
    """Run a change of a document, privately; it is shown or refused when that has ended.

    Raises a Refusal if it is no valid document, changes nothing, or another is being judged; or if
    the document is no longer the one whose hash is `base`.
    """
    act = partial(_propose, editor, work, code, base, restores)
    return check_first(code, owner=editor.pk, act=act, kind=kind_of_work(work))


@transaction.atomic
def _propose(
    editor: User,
    work: Implementation,
    code: str,
    base: bytes,
    restores: int | None,
    checked: Checked,
) -> DocumentRevision:
    refuse_all(list(filter(None, [checked.syntax_error])))
    function = lock_function(work.function_id)
    require_unarchived(function)
    locked = lock_published(work)
    locked.function = function
    _require_none_pending(locked)
    revised = revised_work(locked, code)
    markers = read_code(revised, checked)
    new, present = hash_of(parse_document(code)), hash_of(parse_document(locked.code))
    if base and base != present:
        raise Outdated
    if new == present:
        raise Refusal("unchanged", _("This is what the document has already."), field="code")
    links = find_links(revised, markers)
    contest = load_contest(function, draft=revised, draft_links=tuple(links))
    refuse_all(list(find_obstacles(revised, contest, links, markers)))
    revision = DocumentRevision.objects.create(
        implementation=locked, code=code, sha256=new, editor=editor, restores=restores
    )
    submit_pairs_of(revision, contest, revised, pairs_with(contest, revised))
    return revision


def revised_work(work: Implementation, code: str) -> Implementation:
    """Return a copy of the work with another code; it isn't saved."""
    revised = Implementation.objects.select_related("function").get(pk=work.pk)
    revised.code = code
    generate_module(revised, work.function)
    revised.source_sha256 = source_hash(revised.module_source)
    return revised


def submit_pairs_of(
    revision: DocumentRevision, contest: Contest, revised: Implementation, pairs: Collection[Pair]
) -> None:
    """Submit the programs of these pairs, as far as they can be run, as the revision's run."""
    builder = ProgramBuilder(contest, work=revised)
    keys = builder.keys(pairs)
    revision.batch = submit_pairs(
        builder.programs([pair for pair, key in keys.items() if key]),
        topic=revision.implementation.draft_topic,
        owner=revision.editor,
        cause=f"revision of {contest.function.name} run",
        recorder=RECORDER,
        private=True,
    )
    revision.submissions += 1
    revision.save(update_fields=["batch", "submissions"])
    # Also if results are known: the recorder was called before the row had its batch.
    enqueue_follow_up(DECIDE, str(revision.pk), owner_id=revision.editor_id)


def _require_none_pending(work: Implementation) -> None:
    pending = work.revisions.filter(state=State.PENDING).first()
    if pending is not None:
        message = _("Another revision is being judged, by run %(run)s; wait until that has ended.")
        raise Conflict("revision_pending", message % {"run": pending.batch_id})
