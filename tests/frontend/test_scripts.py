"""What Node says of the scripts' own tests, which stand beside this one."""

import subprocess
from pathlib import Path

from socialcode.frontend import node_tools

FOLDER = Path(__file__).parent
TIMEOUT_SECONDS = 120


def test_scripts_keep_what_their_tests_say() -> None:
    files = sorted(FOLDER.glob("*.test.mjs"))
    assert files
    _, environment = node_tools()
    ended = subprocess.run(
        ["node", "--test", *files],
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout
