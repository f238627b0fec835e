"""A backup that was restored: clients who have seen more than it holds are told to begin anew."""

from collections.abc import Mapping
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from runner.events.topics import heads, open_topic, poll_events
from runner.models import Event, Topic
from runner.sockets.client import StreamClient, StreamResetError
from runner.sockets.topic_log import query
from tests.patience import PATIENCE_SECONDS, await_that
from tests.runner.events.test_topics import NOBODY
from tests.support.sockets.event_log import write
from tests.support.sockets.server import Peer, Server

TOPIC, YOUNG = "open:a", "open:young"

TABLES: tuple[Any, ...] = (Topic, Event)

Backup = Mapping[Any, list[dict[str, Any]]]


def back_up() -> Backup:
    """Return the rows of both tables."""
    return {model: [*map(dict, model.objects.order_by("pk").values())] for model in TABLES}


def restore(backup: Backup) -> None:
    """Put the tables, and what numbers their rows, back to where they were."""
    for model in (Event, Topic):
        model.objects.all().delete()
    for model, rows in backup.items():
        model.objects.bulk_create(model(**row) for row in rows)
        with connection.cursor() as cursor:
            cursor.execute(
                "select setval(pg_get_serial_sequence(%s, 'id'), %s)",
                [model._meta.db_table, max((row["id"] for row in rows), default=1)],
            )


def test_without_the_command_a_client_would_go_on_in_another_history(
    transactional_db: None,
) -> None:
    write(TOPIC, ["x", "y", "z"])
    backup = back_up()
    write(TOPIC, ["seen", "seen"])
    restore(backup)
    write(TOPIC, ["other", "other", "other"])
    assert [event["payload"] for event in poll_events(NOBODY, TOPIC, 5, 1)["events"]] == ["other"]


async def test_a_client_with_a_later_sequence_is_reset_and_goes_on(server: Server) -> None:
    await query(write, TOPIC, ["x", "y", "z"])
    backup = await query(back_up)
    await query(write, TOPIC, ["seen", "seen"])
    await query(write, YOUNG, ["seen"])
    async with StreamClient(server.url, origin=server.origin) as client:
        await client.follow(TOPIC)
        assert [(await client.next_event()).seq for _ in range(5)] == [1, 2, 3, 4, 5]
        await server.stop()
    await query(restore, backup)
    await query(call_command, "after_restore")
    # As much as the client has seen, and more: nothing but the epoch tells that it is other.
    await query(write, TOPIC, ["other"] * 4)
    again = Server(port=server.port)
    await again.start()
    try:
        async with StreamClient(again.url, origin=again.origin) as client:
            await client.follow(TOPIC, after=5)
            with pytest.raises(StreamResetError, match="epoch") as reset:
                await client.next_event()
            await client.follow(TOPIC, epoch=reset.value.epoch, after=reset.value.head)
            await query(write, TOPIC, ["more"])
            assert (await client.next_event()).seq == 8
        # What came into being after the backup may come into being again.
        async with Peer(again) as peer:
            await peer.subscribe(YOUNG, after=1)
            assert (await peer.receive())["reason"] == "epoch"
            state = await query(open_topic, YOUNG)
            await query(write, YOUNG, ["other", "other"])
            await peer.subscribe(YOUNG, after=1)
            assert (await peer.receive())["reason"] == "epoch"
            await peer.subscribe(YOUNG, epoch=state.epoch)
            assert await peer.receive_seqs(2) == [1, 2]
    finally:
        await again.stop()


async def test_a_socket_that_is_open_is_reset_as_well(server: Server) -> None:
    await query(write, TOPIC, ["x"])
    async with Peer(server) as peer:
        await peer.subscribe(TOPIC)
        await peer.receive_until("caught_up")
        await query(call_command, "after_restore")
        _, reset = await peer.receive_until("reset", within=PATIENCE_SECONDS)
        assert reset["reason"] == "epoch"


@pytest.mark.django_db
def test_each_time_is_another_epoch_also_from_the_same_backup() -> None:
    write(TOPIC, ["x"], waking=False)
    backup = back_up()
    seen = {1}
    for _ in range(3):
        restore(backup)
        before = max(seen)

        def is_later(before: int = before) -> bool:
            call_command("after_restore")
            return heads([TOPIC])[TOPIC].epoch > before

        await_that(is_later, what="another epoch begins")
        state = heads([TOPIC, "open:without-a-row"])
        assert len({head.epoch for head in state.values()}) == 1
        assert open_topic("open:new").epoch == state[TOPIC].epoch
        assert poll_events(NOBODY, TOPIC, 1, max(seen))["reset"]
        assert "reset" not in poll_events(NOBODY, "open:without-a-row", 0, state[TOPIC].epoch)
        seen.add(state[TOPIC].epoch)
    assert len(seen) == 4
