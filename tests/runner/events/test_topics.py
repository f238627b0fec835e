"""Topics read without a socket: heads, pages, polling, and wake-ups that never hold anyone up."""

import asyncio
import time

import pytest
from django.contrib.auth.models import AnonymousUser, User
from pytest_django.fixtures import Settings

from runner.events import log_reader, topics, wakeups
from runner.models import Topic
from tests.patience import PATIENCE_SECONDS
from tests.support.sockets.event_log import purge, write

NOBODY = AnonymousUser()


@pytest.mark.django_db
def test_a_topic_without_events_stands_at_zero() -> None:
    assert topics.head("open:never") == (1, 0)
    assert not Topic.objects.exists()


@pytest.mark.django_db
def test_heads_of_many_topics_cost_one_query(django_assert_num_queries: object) -> None:
    write("open:a", ["x"], waking=False)
    write("open:b", ["x", "y"], waking=False)
    with django_assert_num_queries(1):  # type: ignore[operator]
        heads = topics.heads(["open:a", "open:b", "open:c"])
    assert heads == {"open:a": (1, 1), "open:b": (1, 2), "open:c": (1, 0)}


@pytest.mark.django_db
def test_pages_of_the_log_join_without_gap() -> None:
    write("open:a", list(range(700)), waking=False)
    seqs: list[int] = []
    while page := topics.read_events("open:a", seqs[-1] if seqs else 0):
        assert len(page) <= 300
        seqs += [entry.seq for entry in page]
    assert seqs == list(range(1, 701))


@pytest.mark.django_db
def test_pages_of_many_topics_join_without_gap_and_are_no_more_than_one_page(
    django_assert_num_queries: object,
) -> None:
    sizes = {"open:a": 400, "open:b": 0, "open:c": 7}
    for topic, size in sizes.items():
        write(topic, list(range(size)), waking=False)
    places = {topic: log_reader.Position(topics.open_topic(topic).id, 0) for topic in sizes}
    seqs: dict[str, list[int]] = {topic: [] for topic in sizes}
    while places:
        with django_assert_num_queries(1):  # type: ignore[operator]
            pages = log_reader.read_pages(list(places.values()))
        assert sum(len(page.entries) for page in pages) <= topics.PAGE_EVENTS
        for topic, page in zip(list(places), pages, strict=True):
            seqs[topic] += [entry.seq for entry in page.entries]
            if page.is_full:
                places[topic] = places[topic]._replace(after=seqs[topic][-1])
            else:
                del places[topic]
    assert seqs == {topic: list(range(1, size + 1)) for topic, size in sizes.items()}


@pytest.mark.django_db
def test_polling_answers_what_a_socket_would() -> None:
    write("open:a", ["x", "y", "z"], waking=False)
    answer = topics.poll_events(NOBODY, "open:a", 1, 1)
    assert (answer["topic"], answer["epoch"], answer["head"]) == ("open:a", 1, 3)
    assert [(event["seq"], event["payload"]) for event in answer["events"]] == [(2, "y"), (3, "z")]
    assert "reset" not in answer


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("after", "epoch", "reason"), [(1, 1, "purged"), (4, None, "future"), (3, 2, "epoch")]
)
def test_polling_from_where_the_log_does_not_go_on_says_reset(
    after: int, epoch: int | None, reason: str
) -> None:
    write("open:a", ["x", "y", "z"], waking=False)
    purge("open:a", 3)
    answer = topics.poll_events(NOBODY, "open:a", after, epoch)
    assert (answer["reset"], answer["reason"], answer["head"]) == (True, reason, 3)
    assert answer["events"] == []


@pytest.mark.django_db
def test_polling_a_topic_of_another_is_refused_whether_or_not_it_exists() -> None:
    mira = User.objects.create(username="mira")
    assert topics.poll_events(mira, f"private:{mira.pk}", 0)["head"] == 0
    refused: list[tuple[topics.Actor, str]] = [
        (NOBODY, f"private:{mira.pk}"),
        (mira, "private:0"),
        (mira, "odd:1"),
    ]
    for actor, topic in refused:
        with pytest.raises(PermissionError):
            topics.poll_events(actor, topic, 0)


async def test_a_wake_up_from_a_thread_reaches_who_has_joined() -> None:
    listener = wakeups.SignalReceiver()
    await listener.start()
    await listener.subscribe(7)
    await asyncio.to_thread(wakeups.wake_followers, [6, 7])
    assert await asyncio.wait_for(listener.next_signal(), PATIENCE_SECONDS) == wakeups.Wake(7)


async def test_word_of_a_user_reaches_every_process_that_listens() -> None:
    listeners = [wakeups.SignalReceiver(), wakeups.SignalReceiver()]
    for listener in listeners:
        await listener.start()
    await asyncio.to_thread(wakeups.recheck_user, 7)
    for listener in listeners:
        word = await asyncio.wait_for(listener.next_signal(), PATIENCE_SECONDS)
        assert word == wakeups.Recheck(7)


async def test_a_thousand_wake_ups_for_one_topic_become_few() -> None:
    listener = wakeups.SignalReceiver()
    await listener.start()
    await listener.subscribe(8)
    for _ in range(1_000):
        wakeups.wake_followers([8])
    heard = 0
    try:
        while True:
            await asyncio.wait_for(listener.next_signal(), 0.3)
            heard += 1
    except TimeoutError:
        assert 1 <= heard < 500


def test_giving_word_without_redis_neither_waits_nor_raises(settings: Settings) -> None:
    address = "unix:///nowhere/valkey.sock"
    layer = {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [{"address": address}]},
    }
    settings.CHANNEL_LAYERS = {"default": layer}
    started = time.monotonic()
    for topic_id in range(100):
        wakeups.wake_followers([topic_id])
        wakeups.recheck_user(topic_id)
    assert time.monotonic() - started < 200 * 0.1  # so many words, of which none waits
