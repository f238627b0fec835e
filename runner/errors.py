"""What the machinery refuses."""


class RunnerError(Exception):
    """The machinery was asked for something that it does not do."""


class RequestConflict(RunnerError):
    """Another request was made under this request key, or it names a batch that has ended."""


class QuotaExceeded(RunnerError):
    """The owner has as much queued as one may have; the message says what to do."""


class NothingToRun(RunnerError):
    """There is nothing in the batch that could be run again."""


class InvalidChain(RunnerError):
    """Tasks wait for one another in a circle, or for what is not there."""


class NotRegistered(RunnerError):
    """Nobody registered a recorder or a follow-up of this name."""


class SemaphoreConflict(RunnerError):
    """A semaphore is in use with another capacity, or a ticket's name for another semaphore."""
