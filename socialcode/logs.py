"""Configures log lines: readable in development, one JSON document per line elsewhere."""

import logging.config
import os
import socket

import structlog

MACHINE = socket.gethostname()

# For our own log lines and those of libraries.
SHARED = (
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)
LEVELS = {
    # No lines for each doorbell job, each poll, and each opened or closed socket.
    "rq": "WARNING",
    "asyncio": "WARNING",
    "socialcode.server.websocket_protocol": "WARNING",
    # Complete, whatever the level of others.
    "security": "INFO",
}


def name_process(
    _logger: object, _method: str, line: structlog.types.EventDict
) -> structlog.types.EventDict:
    """Add `process` to a log line: machine and process id, as in workers' names."""
    line["process"] = f"{MACHINE}:{os.getpid()}"
    return line


def renderers(*, readable: bool) -> list[structlog.types.Processor]:
    """Return what makes a line of text of an event; both forms quote what users have written."""
    if readable:
        return [structlog.dev.ConsoleRenderer(colors=False, repr_native_str=True)]
    return [
        name_process,
        structlog.processors.format_exc_info,
        structlog.processors.JSONRenderer(default=str),
    ]


class WithoutPath(logging.Filter):
    """Takes the path out of Django's lines, because it may hold a token."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Replace the message, and keep the traceback."""
        record.msg, record.args = "request failed", ()
        return True


def configure_logs(*, level: str, readable: bool) -> None:
    """Log to standard error from this level on."""
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "filters": {"without_path": {"()": WithoutPath}},
            "formatters": {
                "structured": {
                    "()": structlog.stdlib.ProcessorFormatter,
                    "foreign_pre_chain": SHARED,
                    "processors": [
                        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                        *renderers(readable=readable),
                    ],
                },
            },
            "handlers": {
                "stderr": {"class": "logging.StreamHandler", "formatter": "structured"},
            },
            "root": {"handlers": ["stderr"], "level": level},
            "loggers": {
                **{name: {"level": level} for name, level in LEVELS.items()},
                # Only tracebacks: the access log has the rest.
                "django.request": {"level": "ERROR", "filters": ["without_path"]},
            },
        }
    )
    structlog.configure(
        processors=[*SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
