"""Debian's Firefox for Playwright, which drives it by WebDriver BiDi.

Playwright sends a command that this Firefox doesn't know yet, for the colour scheme. This program
stands between them: it starts Firefox, passes everything on, and answers that command itself.
"""

import asyncio
import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Playwright
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
MISSING = "Firefox is not installed; with `apt-get install firefox-esr` this test runs"
CHANNEL = "moz-firefox"
UNKNOWN = {"emulation.setMediaFeaturesOverride"}
_LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
_LARGEST = 64 * 1024 * 1024


@pytest.fixture(scope="session")
def browser(playwright: Playwright, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Use Firefox in the modules that import this."""
    if FIREFOX is None:
        pytest.skip(MISSING)
    program = executable(tmp_path_factory.mktemp("firefox"))
    started = playwright.firefox.launch(channel=CHANNEL, executable_path=program)
    yield started
    started.close()


def executable(folder: Path) -> Path:
    """Write a program that Playwright can start as Firefox."""
    path = folder / "firefox"
    root = Path(__file__).resolve().parents[3]
    path.write_text(
        f'#!/bin/sh\ncd "{root}" && exec "{sys.executable}" -m {__spec__.name} "$@"\n', "utf-8"
    )
    path.chmod(0o755)
    return path


async def main() -> int:
    """Run Firefox with this program's arguments; return its exit status."""
    if FIREFOX is None:
        raise SystemExit(MISSING)
    firefox = await asyncio.create_subprocess_exec(
        FIREFOX, *sys.argv[1:], stderr=asyncio.subprocess.PIPE
    )
    assert firefox.stderr
    async for line in firefox.stderr:
        if found := _LISTENING.search(line.decode(errors="replace")):
            break
    else:
        return await firefox.wait()
    address = found[1]

    async def relay(playwright: ServerConnection) -> None:
        async with connect(f"{address}/session", max_size=_LARGEST) as browser:
            await _pass_on(playwright, browser)

    async with serve(relay, "127.0.0.1", 0, max_size=_LARGEST) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        print(f"WebDriver BiDi listening on ws://127.0.0.1:{port}", file=sys.stderr, flush=True)
        draining = asyncio.create_task(_drain(firefox.stderr))
        status = await firefox.wait()
        await draining
        return status


async def _pass_on(playwright: ServerConnection, browser: Any) -> None:
    async def commands() -> None:
        async for text in playwright:
            message = json.loads(text)
            if message.get("method") in UNKNOWN:
                answer = {"type": "success", "id": message["id"], "result": {}}
                await playwright.send(json.dumps(answer))
            else:
                await browser.send(text)
        await browser.close()

    async def events() -> None:
        async for text in browser:
            await playwright.send(text)
        await playwright.close()

    await asyncio.gather(commands(), events(), return_exceptions=True)


async def _drain(stream: asyncio.StreamReader) -> None:
    async for _ in stream:
        pass


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
