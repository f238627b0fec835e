"""Which stand-in takes the place of what, by module and name."""

from __future__ import annotations

import ast
import configparser
import reprlib
import textwrap
import threading
import weakref
from typing import Any

from runner.sandbox.guards import OfferedABCMeta, OfferedType, SimpleNamespace
from runner.sandbox.standins import (
    adapters,
    arguments,
    chance,
    classes,
    doctests,
    executors,
    finalizing,
    functions,
    handlers,
    hints,
    logs,
    looping,
    nodes,
    records,
    reporting,
    streams,
    suites,
    system,
    threads,
    unittests,
    waiting,
    warning,
    zones,
)
from runner.sandbox.standins.shim import Shim


def replaced() -> dict[str, dict[str, Any]]:
    short = reprlib.Repr()
    return {
        "abc": {"ABCMeta": OfferedABCMeta},
        "argparse": arguments.ARGPARSE,
        "ast": nodes.AST,
        "asyncio": looping.ASYNCIO,
        "collections": {"namedtuple": classes.namedtuple},
        "concurrent.futures": executors.FUTURES,
        "contextlib": {
            "redirect_stdout": streams.redirect_stdout,
            "redirect_stderr": streams.redirect_stderr,
        },
        "dataclasses": {
            "dataclass": classes.dataclass,
            "make_dataclass": classes.make_dataclass,
        },
        "doctest": doctests.DOCTEST,
        "enum": {"EnumMeta": classes.EnumMeta, "EnumType": classes.EnumMeta},
        "functools": {
            "wraps": functions.wraps,
            "update_wrapper": functions.update_wrapper,
            "total_ordering": functions.total_ordering,
        },
        "gc": system.GARBAGE,
        "importlib": {"import_module": system.import_module},
        "inspect": reporting.INSPECT,
        "logging": logs.LOGGING,
        "logging.handlers": handlers.HANDLERS,
        "operator": {
            "attrgetter": functions.attrgetter,
            "methodcaller": functions.methodcaller,
            "setitem": functions.setitem,
            "delitem": functions.delitem,
        },
        "os": system.NAMES,
        "pprint": {
            "pprint": streams.offered_pprint,
            "pp": streams.offered_pp,
            "PrettyPrinter": streams.PrettyPrinter,
        },
        "queue": waiting.QUEUES,
        "random": {"seed": chance.seed},
        "reprlib": {"aRepr": short, "repr": short.repr},
        "shutil": {"get_terminal_size": system.get_terminal_size},
        "sys": system.FACTS,
        "threading": {**waiting.THREADING, **threads.THREADING},
        "time": {"sleep": waiting.sleep},
        "timeit": reporting.TIMEIT,
        "traceback": reporting.TRACEBACK,
        "types": {
            "SimpleNamespace": SimpleNamespace,
            "ModuleType": classes.module_type(Shim),
            "coroutine": functions.coroutine,
        },
        "typing": {
            "NamedTuple": classes.NamedTupleSyntax(),
            "Type": OfferedType,
            "get_origin": hints.get_origin,
            "get_type_hints": hints.get_type_hints,
            "no_type_check": functions.no_type_check,
        },
        "unittest": suites.UNITTEST,
        "uuid": {"uuid1": chance.uuid1, "uuid4": chance.uuid4},
        "warnings": warning.WARNINGS,
        "weakref": {"finalize": finalizing.finalize},
        "zoneinfo": {"available_timezones": zones.available_timezones},
    }


def writable() -> set[type]:
    """Of the library: objects whose attributes and items are there to be set."""
    return {
        configparser.ConfigParser,
        configparser.RawConfigParser,
        configparser.SectionProxy,
        logs.Logger,
        records.Formatter,
        records.LogRecord,
        handlers.Handler,
        handlers.StreamHandler,
        handlers.MemoryHandler,
        handlers.QueueHandler,
        adapters.LoggerAdapter,
        reprlib.Repr,
        unittests.TestCase,
        textwrap.TextWrapper,
        threading.local,
        threads.Thread,
        threads.Timer,
        weakref.WeakKeyDictionary,
        weakref.WeakValueDictionary,
        *arguments.WRITABLE,
        *(
            kind
            for kind in vars(ast).values()
            if isinstance(kind, type) and issubclass(kind, ast.AST)
        ),
    }


def shown() -> set[type]:
    """Of the library: objects whose attributes are all a program's, to be seen at once."""
    return {arguments.NAMESPACE, records.LogRecord}
