"""The Django app of the machinery."""

from importlib import import_module

from django.apps import AppConfig


class RunnerConfig(AppConfig):
    """Batches, executions, results and topics."""

    name = "runner"

    def ready(self) -> None:
        # Not at the top of the file: these modules need the models, which are loaded only now.
        import_module("runner.operations.checks")
        handlers = import_module("runner.registry").handlers
        handlers.add(import_module("runner.registration").HANDLERS)
