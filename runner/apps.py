"""The Django app of the machinery."""

from importlib import import_module

from django.apps import AppConfig


class RunnerConfig(AppConfig):
    """Batches, executions, results and topics."""

    name = "runner"

    def ready(self) -> None:
        # Not imported at the top, because these modules need the models, which are loaded now.
        import_module("runner.operations.checks")
        handlers = import_module("runner.registry").handlers
        handlers.add(import_module("runner.registration").HANDLERS)
