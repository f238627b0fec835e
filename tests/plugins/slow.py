"""Marks slow tests: `make test` leaves them out, `make test-slow` runs them alone.

This table is the only place that decides it. What is slow is also tried by something quick: a
sample of each corpus, one test of a kind of fault, the use cases below a browser's journey.
"""

import zlib
from collections.abc import Mapping
from fnmatch import fnmatchcase

import pytest

# Patterns of node ids. Of the tests that match, `make test` keeps one in so many, chosen by a hash
# of the node id; 0 keeps none. The last pattern that matches counts.
KEPT: Mapping[str, int] = {
    # Corpora.
    "tests/sandbox/test_programs.py*": 8,
    "tests/sandbox/test_attacks_on_hosts.py*": 8,
    "tests/sandbox/test_attacks_on_verdicts.py*": 8,
    "tests/sandbox/test_program_tables.py*": 0,
    "tests/sandbox/test_grammar.py*": 4,
    "tests/sandbox/test_border_*programs*": 4,
    "tests/sandbox/test_border_codec.py*": 2,
    "tests/functions/maintenance/test_samples_loaded.py*": 0,
    # Campaigns, models and costs.
    "tests/chaos/*": 0,
    "tests/functions/test_costs.py*": 0,
    "tests/functions/elections/test_rulebook.py*": 0,
    "tests/functions/elections/test_fairness.py*": 0,
    "tests/functions/analysis/test_hostile_source.py*": 0,
    "tests/functions/api/test_schemathesis.py*operations_answer*": 0,
    "tests/runner/semaphores/*": 0,
    "tests/runner/semaphores/test_semaphore.py*": 1,
    "tests/sandbox/test_fuzz.py*": 0,
    # Whole machines: other hosts, full disks, cut networks, floods, environments.
    "tests/deploy/test_restart.py*": 0,
    "tests/deploy/test_upgrade.py*": 0,
    "tests/deploy/test_upgrade.py*previous_release_can*": 1,
    "tests/functions/releases/test_installation.py*": 3,
    "tests/functions/releases/test_release_sets.py*installs*": 0,
    "tests/environment/test_bootstrap.py*": 0,
    "tests/environment/test_standstill.py*": 0,
    "tests/sandbox/test_hosts.py*": 0,
    "tests/sandbox/test_interpreter.py*other*": 0,
    "tests/sandbox/test_standalone.py*": 0,
    "tests/sandbox/test_faults.py*": 6,
    "tests/sandbox/test_pool.py*": 2,
    "tests/socialcode/embedded/test_full_disk.py*": 0,
    "tests/socialcode/database/test_cut_off.py*": 0,
    "tests/socialcode/accounts/passwords/test_floods.py*": 0,
    "tests/socialcode/server/test_connection_limits.py*": 0,
    "tests/socialcode/management/*": 0,
    "tests/functions/export/test_installation.py*": 0,
    # Processes that are killed, cut off, or told to stop.
    "tests/runner/workers/test_processes.py*": 0,
    "tests/runner/workers/test_stop.py*": 0,
    "tests/runner/workers/test_stuck_statements.py*": 0,
    "tests/runner/workers/test_cut_off.py*": 0,
    "tests/runner/workers/test_drainer.py*": 4,
    "tests/runner/batches/test_paged_load.py*": 2,
    "tests/runner/operations/test_liveness.py*": 0,
    "tests/runner/operations/test_health.py*": 8,
    "tests/runner/operations/test_poolers.py*": 0,
    "tests/runner/sockets/test_hostile_clients.py*": 0,
    "tests/runner/sockets/test_presence.py*": 2,
    "tests/runner/sockets/test_recovery.py*": 3,
    # Elections by real workers: each takes seconds.
    "tests/functions/acceptance/test_acceptance.py*": 2,
    "tests/functions/elections/test_cascades.py*": 4,
    "tests/functions/elections/test_cycles.py*": 6,
    "tests/functions/elections/test_election.py*": 3,
    "tests/functions/elections/test_oscillation.py*": 0,
    "tests/functions/elections/test_reconciler.py*": 3,
    "tests/functions/elections/test_sequences.py*": 0,
    "tests/functions/documents/test_freshness.py*": 0,
    "tests/functions/moderation/test_challenges.py*": 6,
    "tests/functions/notifications/test_watches.py*": 3,
    "tests/functions/previews/*": 6,
    "tests/functions/test_run_cancellation.py*": 3,
    "tests/functions/elections/test_cascades.py*killed*": 0,
    "tests/runner/test_invariants.py*": 4,
    "tests/runner/pipelines/*": 4,
    # Every address, act or page in turn; costs of one row and of many.
    "tests/*as_for_one*": 0,
    "tests/functions/test_acts.py*": 0,
    "tests/functions/test_acts.py*use_cases*": 1,
    "tests/functions/views/test_history.py*no_more_lines*": 0,
    "tests/architecture/test_publication.py*": 0,
    "tests/functions/read_models/test_run_list.py*": 2,
    "tests/functions/read_models/test_run_queries.py*": 0,
    "tests/functions/test_draft_privacy.py*": 0,
    "tests/functions/views/test_previews.py*": 0,
    "tests/functions/views/test_rate_limited.py*": 4,
    "tests/sandbox/test_hostile.py*": 6,
    # The client as it is installed: each command is a process.
    "tests/client/test_commands.py*": 0,
    "tests/client/test_journey.py*": 0,
    "tests/client/test_packages.py*": 0,
    "tests/client/test_library.py*": 0,
    "tests/client/test_documents.py*make*": 0,
    # Whole sites: servers, workers and browsers. One journey of a newcomer stays.
    "tests/browser/*": 0,
    "tests/browser/test_first_function.py*newcomer*": 1,
    "tests/browser/test_run_updates.py*who_publishes*": 1,
    "tests/environment/test_documented_commands.py::test_a_command_does*": 0,
    "tests/socialcode/management/test_backups.py*": 0,
    "tests/examples/*": 0,
    "tests/functions/api/test_abandoned_calls.py*": 0,
    "tests/functions/api/test_batches.py*": 2,
    "tests/functions/api/test_calls.py*": 2,
    "tests/functions/api/test_check.py*drafts_run*": 6,
    "tests/functions/api/test_journey.py*": 0,
    "tests/runner/calls/test_server.py*programs*": 2,
    "tests/socialcode/server/test_batch_waits.py*": 2,
    "tests/runner/sockets/test_consumer.py*": 3,
    "tests/runner/sockets/test_flow_control.py*": 3,
    "tests/runner/sockets/test_site.py*": 0,
}


def pattern_of(node_id: str) -> str | None:
    """Return the pattern that decides about this test, if there is one."""
    matching = [pattern for pattern in KEPT if fnmatchcase(node_id, pattern)]
    return matching[-1] if matching else None


def is_slow(node_id: str) -> bool:
    """Tell whether `make test` leaves this test out."""
    pattern = pattern_of(node_id)
    one_in = KEPT[pattern] if pattern else 1
    return not one_in or zlib.crc32(node_id.encode()) % one_in != 0


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: run by `make test-slow` alone")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark before pytest deselects by marks."""
    for item in items:
        if is_slow(item.nodeid):
            item.add_marker(pytest.mark.slow)
