"""Registers the machinery."""

from importlib import import_module

from django.apps import AppConfig


class RunnerConfig(AppConfig):
    """Batches, executions, results and topics."""

    name = "runner"

    def ready(self) -> None:
        # Not an import above: it needs the models, which are there only now.
        import_module("runner.checks")
        import_module("runner.philosophers").register()
        import_module("runner.presence").register()
        import_module("runner.rerunning")
