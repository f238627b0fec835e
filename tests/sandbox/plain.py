"""Runs files as `python -I FILE` does, each in a fork of an interpreter that has imported much.

Paths are read from standard input; for each, its exit code is written to standard output. What a
program writes to standard error stays in the file that is given as an argument.
"""

import asyncio  # noqa: F401 - what programs import takes longer than what they do
import dataclasses  # noqa: F401
import json  # noqa: F401
import os
import random  # noqa: F401
import runpy
import signal
import sys
import traceback
import typing  # noqa: F401
from typing import NoReturn

LONGEST_SECONDS = 30


def main(errors: str) -> None:
    """Run file after file."""
    for path in sys.stdin:
        child = os.fork()
        if not child:
            run(path.removesuffix("\n"), errors)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def run(path: str, errors: str) -> NoReturn:
    """Run this file as the main program, and end with it."""
    nothing = os.open(os.devnull, os.O_RDWR)
    said = os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    for number, handle in enumerate((nothing, nothing, said)):
        os.dup2(handle, number)
    sys.argv = [path]
    signal.alarm(LONGEST_SECONDS)
    code = 0
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - as the interpreter does
        traceback.print_exc()
        code = 1
    os._exit(code)


if __name__ == "__main__":
    main(sys.argv[1])
