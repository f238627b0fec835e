"""Sentences that rows keep: English whatever their writer reads, and known to be translated."""

from django.utils.translation import override

from functions.authoring.definitions import delete_function
from functions.authoring.rename import rename_function
from functions.authoring.withdrawal import withdraw
from functions.models import Election, Implementation, Notice, Test
from functions.moderation.acceptability import judge_work
from functions.moderation.comments import write_comment
from functions.recorded import SENTENCES, SEPARATOR, parse
from functions.runs import run_function_again
from runner.models import Batch
from runner.workers.drainer import Drainer
from tests.support.works import account, constant, define, implement, publish_test, vote


def kept_sentences() -> set[str]:
    """Return every sentence in the rows of the site, one cause each."""
    kept = {
        *Batch.objects.values_list("cause", flat=True),
        *Election.objects.values_list("cause", flat=True),
        *Election.objects.values_list("origin_cause", flat=True),
        *Implementation.objects.values_list("standing_reason", flat=True),
        *Test.objects.values_list("reason", flat=True),
    }
    parts = {part for text in kept for part in text.split(SEPARATOR) if part}
    return parts | {*Notice.objects.values_list("text", flat=True)}


def test_what_a_reader_of_german_does_is_kept_in_english_that_is_known(worker: Drainer) -> None:
    olga = account("olga")
    with override("de"):
        half = define("Half")
        first = publish_test(half, "assert Half(4) == 2")
        good = implement(half, "def Half(n):\n    return n // 2\n")
        implement(half, constant("Half", 0), author="otto")
        user = define("User")
        implement(user, "# <<Half>> <<Nobody>>\ndef User():\n    return Half(2)\n", author="wes")
        worker.drain()
        write_comment(actor=account("mira"), subject=half, text="Well done.")
        vote(good, up="mira")
        late = publish_test(half, "assert Half(3) == 1.5", author="tess")
        for verdict, reason in ((True, ""), (False, "It is wrong."), (None, "")):
            judge_work(actor=olga, work=late, acceptable=verdict, reason=reason)
            worker.drain()
        withdraw(actor=first.author, work=first)
        run_function_again(actor=olga, function=half)
        worker.drain()
        other = implement(half, "def Half(n):\n    return n >> 1\n", author="ida")
        withdraw(actor=good.author, work=good)
        worker.drain()
        judge_work(actor=olga, work=other, acceptable=False, reason="Too clever.")
        worker.drain()
        spare = define("Spare")
        rename_function(actor=olga, function=spare, name="Other")
        delete_function(actor=olga, function=half)
        worker.drain()
    kept = kept_sentences()
    assert len(kept) > 15
    assert {text for text in kept if parse(text, SENTENCES) is None} == set()
