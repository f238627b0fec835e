"""Plans: the programs to run for the forecast of a function under a hypothesis."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from functions.contests.cells import load_cells
from functions.contests.contest import Contest, Pair
from functions.contests.evaluation import all_pairs
from functions.contests.programs import Keys, ProgramBuilder
from functions.contests.rules import CandidateFacts, CellResult, judge_candidate
from functions.contests.test_rules import Health
from functions.elections.election import find_facts, joint_label, judge_tests, proof_of
from functions.graph.algorithms import find_components
from functions.graph.nodes import Link, Node, bound_links, load_nodes
from functions.models import Effect, Function, Implementation, Preview
from functions.previews.effects import LOADING
from runner.programs.program import PreparedProgram, source_hash

# Programs per function of other implementations than the current one, to find a successor.
MAX_OTHER_PROGRAMS = 100


@dataclass(slots=True)
class Hypothesis:
    """A hypothetical replacement of a function, with the functions that it leads to."""

    function_id: int
    node: Node | None  # None: the function would be deleted
    code: str = ""
    others: dict[int, Node] = field(default_factory=dict)
    cycle: tuple[str, ...] = ()  # names of its cycle's functions, including its own

    @property
    def nodes(self) -> dict[int, Node]:
        """The nodes that replace or extend the current ones."""
        own = {self.function_id: self.node} if self.node else {}
        return {**self.others, **own}

    def apply(self, contest: Contest) -> ProgramBuilder:
        """Apply the hypothesis to this contest; return a builder of its programs."""
        if self.function_id in contest.nodes:
            contest.replace_node(self.function_id, self.node, self.others)
            if contest.function.name in self.cycle:
                contest.cycle = self.cycle
        return ProgramBuilder(contest, codes=[self.code])


def hypothesis_of(preview: Preview) -> Hypothesis:
    """Return the hypothesis of a decided preview."""
    function = preview.function
    if preview.change == Preview.Change.DELETE:
        return Hypothesis(function.pk, None)
    links = tuple(Link(*link) for link in preview.links)
    node = Node(
        id=function.pk,
        name=function.name,
        elected=preview.candidate_id,
        sha256=source_hash(preview.code) if preview.candidate_id else b"",
        links=links,
        judging=False,
        digest=b"",
        cycle=tuple(preview.circle),
    )
    others = {
        pk: other._replace(elected=other.choice, proposed=None, cycle=node.cycle)
        if other.name in preview.circle
        else other
        for pk, other in load_nodes({link.target for link in links if link.target}).items()
    }
    return Hypothesis(function.pk, node, preview.code, others, node.cycle)


def find_cycle(function: Function, links: Sequence[Link]) -> list[str]:
    """Return the names of the cycle that an implementation with these links would be elected in.

    The members are elected together already, or none of them has an elected implementation. Empty
    if it would be elected alone, or is circular.
    """
    nodes = load_nodes({link.target for link in links if link.target})

    def edges(node: int) -> list[int]:
        named = links if node == function.pk else nodes[node].links
        bound = bound_links(named, nodes)
        return [link.target for link in bound if link.target in nodes and link.target]

    cycle = next(one for one in find_components([function.pk], edges) if function.pk in one)
    cycle_group = [nodes[pk] for pk in cycle if pk != function.pk]
    known = tuple(function.circle)
    stand = bool(known) and all(node.elected and node.cycle == known for node in cycle_group)
    are_tried = not function.elected_id and not any(node.elected for node in cycle_group)
    if not cycle_group or not (stand or are_tried):
        return []
    return sorted([function.name, *(node.name for node in cycle_group)])


@dataclass(frozen=True, slots=True)
class Plan:
    """The effect to store for a function, and the programs that decide about it."""

    effect: Effect  # not saved yet
    programs: dict[Pair, PreparedProgram]


def make_plan(
    preview: Preview, contest: Contest, builder: ProgramBuilder, *, room: int, of_others: int
) -> Plan:
    """Return the programs that decide about a contest, the current implementation's first.

    At most `room` programs are taken, and at most `of_others` of other implementations.
    """
    function = contest.function
    keys = builder.keys(all_pairs(contest))
    cell_results = _known_results(contest, keys)
    tests = judge_tests(contest, cell_results)
    facts = [
        # The change doesn't affect the current one's results with other members of its cycle.
        replace(one, joint_results={}) if one.id == contest.choice else one
        for one in find_facts(contest, cell_results, tests)
    ]
    needed = {one.id: _needed(contest, one) for one in facts}
    taken, left_out = _choose(needed, function.elected_id, room, of_others)
    chosen = {pair: keys[pair] for pair in taken}
    effect = Effect(
        preview=preview,
        function=function,
        was_implemented=function.status == Function.Status.IMPLEMENTED,
        elected=function.elected_id,
        current=str(contest.elected) if contest.elected else "",
        candidates=[_stored(contest, one, needed[one.id], chosen) for one in facts],
        tests=[
            {"label": str(test), "reason": tests[test.pk].reason}
            for test in contest.tests
            if (tests[test.pk].health == Health.WORKING) != (test.health == Health.WORKING)
        ],
        left_out=left_out,
    )
    return Plan(effect, builder.programs(taken))


def _known_results(contest: Contest, keys: Keys) -> dict[Pair, CellResult]:
    """Return the results of cells whose program would not change."""
    cells = load_cells([contest])
    return {
        pair: cells[pair].result
        for pair, key in keys.items()
        if pair in cells and cells[pair].key == (key or b"")
    }


def _needed(contest: Contest, facts: CandidateFacts) -> dict[str, Pair]:
    """Return the pairs to run before the candidate can be judged, by test label."""
    if not judge_candidate(facts).is_waiting:
        return {}
    tests = {str(test): test.pk for test in contest.tests}
    for other in contest.others:
        tests |= {joint_label(other, test): test.pk for test in other.tests}
    return {
        label: (facts.id, tests.get(label))
        for label, result in _deciding(facts).items()
        if result.is_pending
    }


def _deciding(facts: CandidateFacts) -> dict[str, CellResult]:
    """Return the results that decide about a candidate, by test label."""
    return {LOADING: facts.load, **facts.cell_results, **facts.joint_results}


def _stored(
    contest: Contest, facts: CandidateFacts, needed: Mapping[str, Pair], chosen: Keys
) -> dict[str, Any]:
    work = next(work for work in contest.implementations if work.pk == facts.id)
    row = {
        "id": work.pk,
        "label": str(work) if work.number else "your draft",
        "uses": contest.resolve(contest.links_of(work)),
        "held_off": facts.loses_tie,
    }
    if not needed:
        judged = judge_candidate(facts)
        return {**row, "standing": judged.standing.value, "reason": judged.reason}
    cell_results = _deciding(facts)
    given_up = [
        name for name, result in cell_results.items() if result.given_up and not result.verdict
    ]
    keys = {label: chosen.get(pair) for label, pair in needed.items()}
    hexes = {label: key.hex() if key else None for label, key in keys.items()}
    lapsing = _lapsing(contest) if facts.id == contest.function.elected_id else []
    return {**row, "needed": hexes, "given_up": given_up, "lapsing": lapsing}


def _lapsing(contest: Contest) -> list[str]:
    """Return the tests whose standing lapses if the current implementation fails them.

    A pass is the only cause of their standing, and their own dependencies would change.
    """
    proofs = {test: proof_of(test) for test in contest.tests}
    return [
        str(test)
        for test, proof in proofs.items()
        if proof and proof.uses != contest.hash_of_uses(test)
    ]


def _choose(
    needed: Mapping[int, Mapping[str, Pair]], current: int | None, room: int, of_others: int
) -> tuple[list[Pair], int]:
    """Return the pairs to run, and the number of those left out."""
    room = max(0, room)
    own = list(needed.get(current or 0, {}).values())
    others = [pair for pk, pairs in needed.items() if pk != current for pair in pairs.values()]
    taken = own[:room]
    taken += others[: min(of_others, room - len(taken))]
    return taken, len(own) + len(others) - len(taken)


def links_of_candidate(contest: Contest, work: Implementation) -> list[list[Any]]:
    """Return a candidate's links as stored in a preview."""
    return [list(link) for link in contest.links_of(work)]
