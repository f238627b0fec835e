"""Serializers of histories and comparisons."""

from functions.api.history_schemas import (
    CandidateShown,
    DifferenceShown,
    ElectionShown,
    LineShown,
    MatchShown,
    ModuleCompared,
    RecordsCompared,
    RevisionCompared,
    RevisionShown,
    TestSeen,
    TrialShown,
    WhyShown,
    WorkNamed,
    WorksCompared,
)
from functions.api.schemas import LinkShown
from functions.api.serializers import result_shown
from functions.read_models import ImplementationCard, Origin, TestCard
from functions.read_models.comparison import Match, Relative, WorkComparison
from functions.read_models.elections import ElectionRow
from functions.read_models.explanation import Candidate, Trial, WhyPage
from functions.read_models.result_comparison import ModulePair, ResultComparison
from functions.read_models.revisions import RevisionComparison, RevisionRow
from functions.source.diff import Difference


def why_shown(page: WhyPage) -> WhyShown:
    """Return why the current implementation is current."""
    return WhyShown(
        function=page.function.name,
        current=page.function.elected_id,
        circle=page.function.circle,
        judging=page.function.judging,
        rule=page.ruling.rule.value,
        reason=page.ruling.sentence,
        candidates=[_candidate(one) for one in page.candidates],
        withdrawn=[work.pk for work in page.withdrawn],
        tests=[
            TestSeen(
                id=test.id,
                label=test.label,
                counts=test.counts,
                why_not=test.why_not,
                challenge=not test.standing_cause,
                standing_cause=test.standing_cause or None,
                standing_since=test.standing_since,
            )
            for test in page.tests
        ],
        elections=[election_shown(row) for row in page.elections.rows],
    )


def _candidate(one: Candidate) -> CandidateShown:
    return CandidateShown(
        id=one.id,
        label=one.label,
        title=one.title,
        author=one.author,
        published_at=one.published_at,
        current=one.is_current,
        standing=one.standing,
        why_not=one.why_not,
        owner_reason=one.owner_reason,
        through=[LinkShown(name=link.name, status=link.status) for link in one.through],
        score=one.score,
        up=one.up,
        down=one.down,
        passed=[_trial(trial) for trial in one.passed],
        failed=[_trial(trial) for trial in one.failed],
        pending=[_trial(trial) for trial in one.pending],
    )


def _trial(trial: Trial) -> TrialShown:
    result = trial.result if trial.verdict else None
    return TrialShown(
        test=trial.test.id,
        label=trial.test.label,
        verdict=trial.verdict or None,
        message=result.message if result else "",
        key=result.result_key if result else None,
    )


def election_shown(row: ElectionRow) -> ElectionShown:
    """Return a change of the current implementation."""
    return ElectionShown(
        id=row.id,
        elected=_implementation(row.elected),
        previous=_implementation(row.previous),
        circle=list(row.circle),
        cause=row.cause,
        origin=row.origin or None,
        origin_cause=row.origin_cause,
        by=row.by or None,
        batch=row.run,
        at=row.at,
    )


def _implementation(work: Origin | None) -> WorkNamed | None:
    return WorkNamed(id=work.id, label=f"#{work.number}", author=work.author) if work else None


def revision_shown(row: RevisionRow) -> RevisionShown:
    """Return a revision."""
    return RevisionShown(
        id=row.id,
        number=row.number,
        editor=row.editor,
        name=row.name,
        signature=row.signature,
        description=row.description,
        restored=row.restored,
        latest=row.is_latest,
        at=row.at,
    )


def revision_compared(page: RevisionComparison) -> RevisionCompared:
    """Return a revision and how it differs from another."""
    return RevisionCompared(
        left=revision_shown(page.left) if page.left else None,
        right=revision_shown(page.right),
        signature=_difference(page.signature),
        description=_difference(page.description),
    )


def works_compared(page: WorkComparison) -> WorksCompared:
    """Return how two works differ."""
    return WorksCompared(
        function=page.function.name,
        left=_card(page.left),
        right=_card(page.right),
        code=_difference(page.difference),
        results=[_match(match) for match in page.matches],
        ancestors=[_relative(one) for one in page.ancestors],
        copies=[_relative(one) for one in page.copies],
    )


def _card(card: ImplementationCard | TestCard) -> WorkNamed:
    return WorkNamed(id=card.id, label=card.label, author=card.author)


def _relative(one: Relative) -> WorkNamed:
    return WorkNamed(id=one.id, label=one.label, author=one.author)


def _match(match: Match) -> MatchShown:
    left, right = match.verdicts
    return MatchShown(
        id=match.opponent.id,
        label=match.opponent.label,
        left=left or None,
        right=right or None,
        left_key=match.left.result_key if match.left else None,
        right_key=match.right.result_key if match.right else None,
    )


def records_compared(page: ResultComparison) -> RecordsCompared:
    """Return two records and how they differ."""
    return RecordsCompared(
        left=result_shown(page.left),
        right=result_shown(page.right),
        same=[what for what, is_same in page.same.items() if is_same],
        log=_difference(page.log),
        modules=[_modules(pair) for pair in page.modules],
    )


def _modules(pair: ModulePair) -> ModuleCompared:
    return ModuleCompared(
        name=pair.name,
        left=pair.left.sha256 if pair.left else None,
        right=pair.right.sha256 if pair.right else None,
        code=_difference(pair.difference) if pair.difference else None,
    )


def _difference(difference: Difference) -> DifferenceShown:
    return DifferenceShown(
        added=difference.added,
        deleted=difference.deleted,
        lines=[
            LineShown(op=line.op.value, old=line.old, new=line.new, text=line.text)
            for line in difference.lines
        ],
    )
