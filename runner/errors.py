"""The errors for requests that the machinery refuses."""


class RunnerError(Exception):
    """A request that the machinery refuses."""


class RequestConflict(RunnerError):
    """The request key was used for another request, or the batch has ended."""


class QuotaExceeded(RunnerError):
    """The owner has too many programs queued; the message is for users."""

    code = "too_many_requests"
    retry_after_seconds = 60


class DailyQuotaExceeded(QuotaExceeded):
    """An account has used up today's quota of a resource."""

    code = "quota_reached"

    def __init__(self, message: str, retry_after_seconds: int) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class NothingToRun(RunnerError):
    """The batch has no task that could be run again."""


class InvalidChain(RunnerError):
    """Tasks wait for one another in a cycle, or for a task that doesn't exist."""


class NotRegistered(RunnerError):
    """No recorder, follow-up, source or step is registered under this name."""


class SemaphoreConflict(RunnerError):
    """The semaphore has another capacity, or the ticket's name belongs to another key."""
