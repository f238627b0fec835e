"""The read model of a draft's page."""

from dataclasses import dataclass

from functions.models import Implementation, Test
from functions.read_models.links import links_of_works
from functions.read_models.runs import LogLine, Progress, log_of, progress
from functions.read_models.snapshot import snapshot
from functions.read_models.tasks import TaskRow, task_list
from functions.read_models.works import ImplementationCard, TestCard, implementation_card, test_card
from runner.events.topics import head
from runner.models import Batch
from runner.registry import Actor


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftPage:
    """A draft with its last run; `seq` is the last event of its topic that it includes."""

    card: ImplementationCard | TestCard
    topic: str
    epoch: int
    seq: int
    run: Progress | None
    tasks: tuple[TaskRow, ...]
    log: tuple[LogLine, ...]


def draft_page(draft: Implementation | Test, actor: Actor) -> DraftPage:
    """Return a draft's page. The caller checks permissions."""
    with snapshot():
        position = head(draft.draft_topic)
        batch = (
            Batch.objects.select_related("topic")
            .filter(topic__name=draft.draft_topic)
            .order_by("-id")
            .first()
        )
        return DraftPage(
            card=work_card(draft, actor),
            topic=draft.draft_topic,
            epoch=position.epoch,
            seq=position.seq,
            run=progress(batch) if batch else None,
            tasks=task_list(actor, batch=batch.pk).rows if batch else (),
            log=tuple(log_of(batch.pk)) if batch else (),
        )


def work_card(work: Implementation | Test, actor: Actor) -> ImplementationCard | TestCard:
    """Return a work's card for this reader. The caller checks permissions."""
    if isinstance(work, Implementation):
        links, _ = links_of_works(implementations=[work.pk])
        return implementation_card(work, work.function, actor, links.get(work.pk, ()))
    _, links = links_of_works(tests=[work.pk])
    return test_card(work, work.function, actor, links.get(work.pk, ()))
