"""What others have written never commands a terminal."""

import io

from rich.console import Console
from rich.table import Table
from rich.text import Text

from socialcode_client.commands.screen import Harmless, err, harmless, out
from socialcode_client.commands.verdicts import log_text
from socialcode_client.models import LogLine

EVIL = "a\x1b]0;title\x07b\x1b[2Jc\rd\x9b2J\x08e"


def printed(*things: object) -> str:
    """Return what a terminal with colours would be sent."""
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, color_system="truecolor", width=80)
    console.print(*(Harmless(thing) for thing in things))  # type: ignore[arg-type]
    return stream.getvalue()


def test_control_characters_are_shown_as_pictures() -> None:
    assert harmless(EVIL) == "a␛]0;title␇b␛[2Jc␍d\ufffd2J␈e"
    assert harmless("tab\tand\nline äß漢") == "tab\tand\nline äß漢"


def test_texts_tables_and_logs_are_filtered_and_styles_stay() -> None:
    table = Table("name")
    table.add_row(Text(EVIL, style="red"))
    line = LogLine(ms=1.0, stream="err", text=EVIL)
    for thing in (EVIL.replace("[", r"\["), table, log_text([line])):
        text = printed(thing)
        assert "\x1b]0" not in text
        assert "\x1b[2J" not in text
        assert "\x9b" not in text
        assert "␛" in text
    assert "\x1b[31m" in printed(table)


def test_both_consoles_filter_all_that_they_print() -> None:
    for console in (out, err):
        with console.capture() as capture:
            console.print(Text(EVIL))
        assert "\x1b]0" not in capture.get()
