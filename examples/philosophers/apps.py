"""The Django app of the example."""

from importlib import import_module

from django.apps import AppConfig


class PhilosophersConfig(AppConfig):
    """Registers the steps, in workers too."""

    name = "examples.philosophers"

    def ready(self) -> None:
        # Not at the top of the file: it needs the models, which are loaded only now.
        handlers = import_module("runner.registry").handlers
        handlers.add(import_module("examples.philosophers.table").HANDLERS)
