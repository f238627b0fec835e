"""`manage.py recount_agent_votes`: counts agents' votes as the setting says, after its change."""

from typing import Any

from django.core.management.base import BaseCommand

from functions.voting.agent_votes import correct_all


class Command(BaseCommand):
    """Correct all votes of agents at once; the sweeper would within some minutes."""

    help = "Count agents' votes as SOCIALCODE_AGENT_VOTES_ELECT says, after it was changed."

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        self.stdout.write(f"{correct_all()} votes are counted differently from now on.")
