"""The machinery's tables, one noun a file."""

from .batch import Batch
from .event import Event, OutboxEvent, Topic
from .execution import Attempt, Execution
from .followup import FollowUp
from .result import Result
from .source import Source
from .task import Task

__all__ = [
    "Attempt",
    "Batch",
    "Event",
    "Execution",
    "FollowUp",
    "OutboxEvent",
    "Result",
    "Source",
    "Task",
    "Topic",
]
