"""Registers the machinery."""

from django.apps import AppConfig


class RunnerConfig(AppConfig):
    """Batches, executions, results and topics."""

    name = "runner"
