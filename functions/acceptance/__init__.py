"""Acceptance tests: tests of a dependency's current implementation, as a warning only."""

from functions.acceptance.drafts import (
    discard_acceptance_test,
    publish_acceptance_test,
    run_acceptance_draft,
    save_acceptance_test,
    start_acceptance_test,
    withdraw_acceptance_test,
)

__all__ = [
    "discard_acceptance_test",
    "publish_acceptance_test",
    "run_acceptance_draft",
    "save_acceptance_test",
    "start_acceptance_test",
    "withdraw_acceptance_test",
]
