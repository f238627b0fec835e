"""Registers the product."""

from importlib import import_module

from django.apps import AppConfig


class FunctionsConfig(AppConfig):
    """Functions, implementations, tests, votes and pages."""

    name = "functions"

    def ready(self) -> None:
        # Not an import above: it needs the models, which are there only now.
        import_module("functions.registration").register()
