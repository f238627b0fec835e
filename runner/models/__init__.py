"""The machinery's tables."""

from .batch import Batch
from .event import Event, OutboxEvent, Topic
from .execution import Attempt, Execution
from .fan_out import FanOut
from .followup import FollowUp
from .pipeline import Arrival, Contribution
from .quota import QuotaOverride, ResourceUse
from .result import Result
from .semaphore import Ticket, TicketState
from .source import Source
from .task import Task
from .upkeep import Chore, Incident

__all__ = [
    "Arrival",
    "Attempt",
    "Batch",
    "Chore",
    "Contribution",
    "Event",
    "Execution",
    "FanOut",
    "FollowUp",
    "Incident",
    "OutboxEvent",
    "QuotaOverride",
    "ResourceUse",
    "Result",
    "Source",
    "Task",
    "Ticket",
    "TicketState",
    "Topic",
]
