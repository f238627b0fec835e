"""Builds the documentation with MkDocs, when its sources have changed.

python -m socialcode.documentation.build
"""

import os
import subprocess
import sys
from pathlib import Path

from socialcode.frontend import digest_of, is_stamped

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "documentation"
STAMP = BUILT / "sources.sha256"
SOURCES = (
    *("docs", "mkdocs.yml", "CHANGELOG.md", "SECURITY.md"),
    *("socialcode/documentation/hooks.py", "socialcode/documentation/site.css"),
)


def build() -> bool:
    """Build if the sources have changed; return whether they had. Broken links are errors."""
    digest = digest_of(*(ROOT / name for name in SOURCES))
    if is_stamped(STAMP, digest):
        return False
    print("Building the documentation ...", flush=True)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    STAMP.write_text(digest, encoding="ascii")
    return True


def main() -> int:
    """Build; what is wrong has been said by MkDocs."""
    try:
        build()
    except subprocess.CalledProcessError as error:
        print("\nThe documentation was not built.", file=sys.stderr)
        return error.returncode
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
