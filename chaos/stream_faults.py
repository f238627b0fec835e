"""Faults of web servers, the network and clients, while events flow."""

import random
import signal
import time
from collections.abc import Callable, Collection

from chaos import watching
from chaos.clients import Follower
from chaos.faults import STRIKE_SECONDS, Fault, empty_redis, restart_postgres
from chaos.fleet import Fleet
from chaos.forms import Poster
from chaos.invariants import WRONG
from chaos.site import Site

ENOUGH = 5  # clients that must be receiving events
FLOW_SECONDS = 15.0  # enough for a killed server and its clients to return
STALLED_SECONDS = (2, 4, 8, 24)  # the last one is longer than the ping timeout
LOST_SECONDS = 4.0
NOT_READING_SECONDS = 10.0
GONE_SECONDS = 20.0
REDIS_STOPPED_SECONDS = 30.0
CALM_SECONDS = 3.0
WORD_SECONDS = 2.0  # for the signal that a session has ended; a lost one costs a minute
TOLD_SECONDS = 10.0
AMID_SECONDS = 0.03


class StreamFaults:
    """The faults whose injection or success depends on the clients."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet

    def all(self) -> tuple[Fault, ...]:
        amid_events = self._amid_events
        return (
            Fault("web server killed", self.kill_web, 3, streams=True),
            Fault("all web servers killed", self.kill_all_webs, 2, streams=True),
            Fault("web server killed amid a form", self.kill_amid_form, 3, streams=True),
            Fault("web server killed before its bell", self.kill_before_bell, 3, streams=True),
            Fault("Redis emptied amid events", amid_events(empty_redis), 6, streams=True),
            Fault(
                "Redis stopped amid events",
                self.stop_redis,
                1,
                streams=True,
                lasting=REDIS_STOPPED_SECONDS,
            ),
            Fault(
                "PostgreSQL restarted amid events", amid_events(restart_postgres), 2, streams=True
            ),
            Fault("network stalled", self.stall, 2, streams=True, lasting=STALLED_SECONDS[-1]),
            Fault("network lost what was sent", self.lose, 2, streams=True, lasting=LOST_SECONDS),
            Fault("network cut at any byte", self.cut, 8, streams=True),
            Fault("all clients dropped at once", self.drop_all, 8, streams=True),
            Fault(
                "clients read nothing for a while",
                self.stop_reading,
                3,
                streams=True,
                lasting=NOT_READING_SECONDS,
            ),
            Fault("clients gone for long", self.be_gone, 2, streams=True, lasting=GONE_SECONDS),
            Fault("author of a draft signed out", self.sign_out, 2, streams=True),
        )

    # --- Web servers --------------------------------------------------------------------------

    def kill_web(self, site: Site, chance: random.Random) -> bool:
        place = chance.randrange(len(site.webs))
        struck = self._await_flow(site, place)
        site.kill_web(place)
        return struck

    def kill_all_webs(self, site: Site, _chance: random.Random) -> bool:
        struck = all(self._await_flow(site, place) for place in range(len(site.webs)))
        for place in range(len(site.webs)):
            site.kill_web(place)
        return struck

    def kill_amid_form(self, site: Site, chance: random.Random) -> bool:
        poster = self._await_form(site)
        if poster is None:
            return False
        key = poster.under_way
        time.sleep(chance.uniform(0, AMID_SECONDS))
        site.kill_web(poster.place)
        return bool(key) and poster.under_way == key

    def kill_before_bell(self, site: Site, _chance: random.Random) -> bool:
        """Kill a web server after a commit and before its doorbell job, while Redis is paused."""
        site.valkey.send_signal(signal.SIGSTOP)
        try:
            rung = self._committed(()).keys()
            deadline = time.monotonic() + STRIKE_SECONDS
            while time.monotonic() < deadline:
                for key, poster in self._committed(rung).items():
                    site.kill_web(poster.place)
                    return poster.under_way == key
            return False
        finally:
            site.valkey.send_signal(signal.SIGCONT)

    def _committed(self, but: Collection[str]) -> dict[str, Poster]:
        """Return stored forms without a response, except `but`, by request key."""
        posters = {each.under_way: each for each in self._fleet.posters if each.under_way}
        there = watching.batches_of([key for key in posters if key not in but])
        return {key: posters[key] for key in there if not posters[key].asked[key]}

    def _await_form(self, site: Site) -> Poster | None:
        """Wait a while for a form in progress."""
        deadline = time.monotonic() + STRIKE_SECONDS
        while time.monotonic() < deadline:
            for poster in self._fleet.posters:
                if poster.under_way and self._fleet.listening(poster.place):
                    return poster
            time.sleep(0.002)
            site.wait(0)
        return None

    # --- Engines ------------------------------------------------------------------------------

    def _amid_events(
        self, inject: Callable[[Site, random.Random], bool]
    ) -> Callable[[Site, random.Random], bool]:
        """Return a fault that injects another one while events flow to clients."""

        def inject_amid_events(site: Site, chance: random.Random) -> bool:
            flows = self._await_flow(site)
            return inject(site, chance) and flows

        return inject_amid_events

    def stop_redis(self, site: Site, chance: random.Random) -> bool:
        struck = self._await_flow(site)
        server = site.valkey
        server.send_signal(signal.SIGSTOP)
        seconds = chance.uniform(REDIS_STOPPED_SECONDS / 3, REDIS_STOPPED_SECONDS)
        site.later(seconds, lambda: server.send_signal(signal.SIGCONT))
        return struck

    # --- The network --------------------------------------------------------------------------

    def stall(self, site: Site, chance: random.Random) -> bool:
        place = chance.randrange(len(site.webs))
        network = self._fleet.networks[place]
        struck = self._await_flow(site, place)
        self._fleet.do(network.stall)
        site.later(chance.choice(STALLED_SECONDS), lambda: self._fleet.do(network.flow))
        return struck

    def lose(self, site: Site, chance: random.Random) -> bool:
        place = chance.randrange(len(site.webs))
        network = self._fleet.networks[place]
        struck = self._await_flow(site, place)
        self._fleet.do(network.lose)
        site.later(chance.uniform(1, LOST_SECONDS), lambda: self._fleet.do(network.restore))
        return struck

    def cut(self, site: Site, chance: random.Random) -> bool:
        place = chance.randrange(len(site.webs))
        struck = self._await_flow(site, place)
        self._fleet.do(lambda: self._fleet.networks[place].cut(random.Random(chance.random())))
        return struck

    # --- Clients ------------------------------------------------------------------------------

    def drop_all(self, site: Site, _chance: random.Random) -> bool:
        struck = self._await_flow(site)
        self._fleet.call(self._fleet.drop_all())
        return struck

    def stop_reading(self, site: Site, chance: random.Random) -> bool:
        struck = self._await_flow(site)
        chosen = self._choose_half(chance)
        for follower in chosen:
            self._fleet.do(follower.stop_reading)

        def read_on() -> None:
            for follower in chosen:
                self._fleet.do(follower.read_on)

        site.later(chance.uniform(NOT_READING_SECONDS / 3, NOT_READING_SECONDS), read_on)
        return struck

    def be_gone(self, site: Site, chance: random.Random) -> bool:
        struck = self._await_flow(site)
        fleet = self._fleet
        chosen = [follower for follower in self._choose_half(chance) if follower.reads]
        fleet.call(fleet.part(chosen))
        site.later(
            chance.uniform(GONE_SECONDS / 2, GONE_SECONDS),
            lambda: fleet.call(fleet.return_(chosen)),
        )
        return struck

    def _choose_half(self, chance: random.Random) -> list[Follower]:
        return chance.sample(self._fleet.followers, len(self._fleet.followers) // 2)

    def sign_out(self, site: Site, chance: random.Random) -> bool:
        """End the session of a follower of a draft with runs, and check the events that it gets."""
        fleet = self._fleet
        author, follower = fleet.authors[chance.choice(sorted(fleet.authors))]
        site.heal()
        site.wait(CALM_SECONDS)  # for reconnections to Redis
        refusals = follower.refusals
        author.session.sign_out()
        site.wait(WORD_SECONDS)
        allowed = watching.heads()[author.topic]
        deadline = time.monotonic() + TOLD_SECONDS
        while (
            not (follower.refusals > refusals and watching.heads()[author.topic] > allowed)
            and time.monotonic() < deadline
        ):
            site.wait(0.1)
        struck = watching.heads()[author.topic] > allowed
        site.wait(WORD_SECONDS / 2)
        if (last := follower.transcript.last[author.topic]) > allowed:
            text = f"{author.name} signed out before {allowed}, and applied {last}"
            fleet.note("S6 by permission", WRONG, text)
        if follower.refusals == refusals:
            fleet.note("S6 by permission", WRONG, f"{author.name} got no end of the session")
        author.session.sign_in()
        follower.cookie = author.session.cookie
        fleet.call(fleet.part([follower]))
        fleet.call(fleet.return_([follower]))
        return struck

    # --- Whether it strikes -------------------------------------------------------------------

    def _await_flow(self, site: Site, place: int | None = None) -> bool:
        """Wait a while until this web server, or any, sends events to enough clients."""
        deadline = time.monotonic() + FLOW_SECONDS
        while time.monotonic() < deadline:
            if len(self._fleet.listening(place)) >= ENOUGH:
                return True
            site.wait(0.02)
        return False
