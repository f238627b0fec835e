"""The whole way: works are published, workers run them, and a client of the site sees it all."""

import asyncio
import signal
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from functions.authoring import define_function, delete_function, publish, run_draft, start_draft
from functions.models import Function, Implementation, Test
from runner.models import Batch
from runner.sockets.client import StreamClient, StreamEvent
from runner.sockets.topic_log import query
from tests.support.site import Site
from tests.support.sockets.server import Peer, Server

CODE = "def Double(number):\n    log('doubling', number)\n    return number + number\n"
TESTS = [f"assert Double({number}) == {2 * number}" for number in range(8)]


def cookie_of(user: User) -> str:
    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    return f"{name}={client.cookies[name].value}"


def write_function(author: User) -> tuple[Function, Implementation]:
    """Return a function with published tests, and the draft of an implementation."""
    function = define_function(actor=author, name="Double", signature="number")
    for code in TESTS:
        publish(
            actor=author,
            draft=start_draft(actor=author, function=function, model=Test, code=code),
        )
    draft = start_draft(actor=author, function=function, model=Implementation, code=CODE)
    return function, draft


async def events_until_finished(client: StreamClient, batch: Batch) -> list[StreamEvent]:
    events: list[StreamEvent] = []
    async with asyncio.timeout(30):
        while True:
            events.append(await client.next_event())
            if events[-1].type == "batch.finished" and events[-1].payload["batch"] == batch.pk:
                return events


def of_type(events: list[StreamEvent], kind: str, batch: Batch) -> list[Any]:
    return [
        event.payload
        for event in events
        if event.type == kind and event.payload.get("batch") == batch.pk
    ]


async def test_publishing_is_seen_whole_though_the_web_server_is_killed(live_site: Site) -> None:
    author = await query(User.objects.create, username="mira")
    function, draft = await query(write_function, author)
    async with StreamClient(
        live_site.socket_url,
        origin=live_site.url,
        first_retry_seconds=0.1,
        last_retry_seconds=0.5,
    ) as client:
        await client.follow(f"function:{function.pk}")
        batch = await query(publish, actor=author, draft=draft)
        assert live_site.web is not None
        live_site.web.send_signal(signal.SIGKILL)
        live_site.web.wait()
        live_site.start_web()
        events = await events_until_finished(client, batch)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert len(of_type(events, "batch.submitted", batch)) == 1
    finished = of_type(events, "task.finished", batch)
    assert len({task["key"] for task in finished}) == len(finished) == len(TESTS) + 1
    assert {task["verdict"] for task in finished} == {"passed"}
    assert of_type(events, "batch.finished", batch) == [events[-1].payload]
    lines = [
        (event.payload["key"], event.payload["run"], event.payload["first"] + number)
        for event in events
        if event.type == "task.output"
        for number in range(len(event.payload["lines"]))
    ]
    assert lines
    assert len(set(lines)) == len(lines)


async def test_a_drafts_run_is_its_authors_alone(server: Server) -> None:
    author = await query(User.objects.create, username="mira")
    other = await query(User.objects.create, username="otto")
    _, draft = await query(write_function, author)
    await query(run_draft, actor=author, draft=draft)
    topic = f"draft:implementation-{draft.pk}"
    for cookie in ("", await query(cookie_of, other)):
        async with Peer(server, cookie=cookie) as peer:
            await peer.subscribe(topic)
            assert (await peer.receive())["code"] == "forbidden"
    async with Peer(server, cookie=await query(cookie_of, author)) as peer:
        await peer.subscribe(topic)
        assert (await peer.receive())["type"] == "events"


async def test_a_deleted_function_is_followed_no_more(server: Server) -> None:
    author = await query(User.objects.create, username="mira")
    function, _ = await query(write_function, author)
    await query(delete_function, actor=author, function=function)
    async with Peer(server) as peer:
        for topic in (f"function:{function.pk}", "function:0", "function:none", "user:1"):
            await peer.subscribe(topic)
            refusal = await peer.receive()
            assert (refusal["type"], refusal["code"]) == ("error", "forbidden"), topic
