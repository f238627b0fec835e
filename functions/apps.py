"""Registers the product."""

from django.apps import AppConfig


class FunctionsConfig(AppConfig):
    """Functions, implementations, tests, votes and pages."""

    name = "functions"
