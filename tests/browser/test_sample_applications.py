"""The applications among the samples, as two people use them at once."""

import shutil
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from functions.collections.items import add_item
from functions.maintenance.sample_library import LIBRARY, load_samples
from functions.models import Collection, Function, Item
from functions.views.page_visits import visit_url
from tests.browser.conftest import SignIn
from tests.support.site import Site, becomes_quiet
from tests.support.threads import run_together
from tests.support.works import account

CONVERTER = (
    *("UnitTable", "ConvertUnit", "ReadNumber", "ShowNumber", "NiceTicks", "LineChart"),
    *("Conversion", "UnitConverter"),
)
GAME = ("DropPieces", "FourInLine", "FourState", "FourAct", "FourBoard", "FourInARow")


def load(folder: Path, names: tuple[str, ...]) -> None:
    """Load these samples, and wait until they are judged and elected."""
    for name in names:
        shutil.copytree(LIBRARY / "applications" / name, folder / "applications" / name)
    shutil.copy(LIBRARY / "collections.toml", folder)
    load_samples(report=lambda _: None, libraries=[folder])
    assert becomes_quiet()
    implemented = Function.objects.filter(status="implemented")
    assert set(implemented.values_list("name", flat=True)) == set(names)


def opened(page: Page, live_site: Site, name: str) -> FrameLocator:
    """Open a page on the site."""
    page.goto(f"{live_site.url}/functions/{name}/open/")
    return page.frame_locator("#page-frame")


def test_two_people_convert_different_values(
    live_site: Site, as_person: SignIn, tmp_path: Path
) -> None:
    load(tmp_path, CONVERTER)
    hers = opened(as_person("ann"), live_site, "UnitConverter")
    ben = as_person("", java_script_enabled=False)
    ben.goto(f"{live_site.url}/p/UnitConverter/")

    hers.get_by_role("link", name="Temperature").click()
    hers.get_by_label("Value").fill("20")
    hers.get_by_role("button", name="Convert").click()
    ben.get_by_label("Value").fill("42,1950")
    ben.get_by_label("Value").press("Enter")
    expect(hers.locator("output")).to_have_text("20 °C = 68 °F")
    expect(ben.locator("output")).to_have_text("42.195 km = 26.21876 mi")
    expect(hers.get_by_role("img", name="°F for °C").locator("circle")).to_have_count(1)
    expect(ben.get_by_role("row", name="metres 42\u202f195 m", exact=True)).to_be_visible()

    hers.get_by_role("link", name="Swap the units").click()
    expect(hers.locator("output")).to_have_text("20 °F = −6.666667 °C")
    ben.get_by_label("From").select_option("mi")
    ben.get_by_label("To").select_option("m")
    ben.get_by_role("button", name="Convert").click()
    expect(ben.locator("output strong")).to_have_text("67\u202f906.27 m")

    # Somebody who is sent the address sees the same.
    friend = as_person()
    friend.goto(ben.url)
    expect(friend.locator("output strong")).to_have_text("67\u202f906.27 m")
    for typed, said in (("NaN", "“NaN” is no number."), ("1e400", "That is too large")):
        hers.get_by_label("Value").fill(typed)
        hers.get_by_role("button", name="Convert").click()
        expect(hers.get_by_role("alert")).to_contain_text(said)
        expect(hers.get_by_label("Value")).to_have_value(typed)
        expect(hers.locator("output")).to_have_count(0)
    friend.goto(f"{live_site.url}/p/UnitConverter/?from=cubits")
    expect(friend.get_by_role("alert")).to_have_text("There is no unit of length “cubits”.")


def test_two_people_play_to_a_win(live_site: Site, as_person: SignIn, tmp_path: Path) -> None:
    load(tmp_path, GAME)
    ann, ben, cid = (as_person(name) for name in ("ann", "ben", "cid"))
    hers, his, watching = (opened(each, live_site, "FourInARow") for each in (ann, ben, cid))
    hers.get_by_role("button", name="New game").click()
    expect(hers.get_by_role("status")).to_contain_text("Waiting for somebody to join")
    # The list of all others has the game at once.
    expect(watching.get_by_role("button", name="Join: ann")).to_be_visible()
    his.get_by_role("button", name="Join: ann").click()
    expect(his.get_by_role("status")).to_have_text("It is ann’s turn.")
    expect(hers.get_by_role("status")).to_have_text("It is your turn.")
    watching.get_by_role("link", name="ann – ben").click()
    expect(watching.get_by_text("You are watching.")).to_be_visible()

    # One by the mouse, one by keys; each sees the other's move.
    for reds in ("red", "red, red", "red, red, red"):
        hers.get_by_role("button", name="Column 1:").click()
        expect(his.get_by_role("status")).to_have_text("It is your turn.")
        expect(watching.get_by_role("status")).to_have_text("It is ben’s turn.")
        expect(his.get_by_role("button", name=f"Column 1: {reds}", exact=True)).to_be_visible()
        expect(hers.get_by_role("button", name="Column")).to_have_count(0)
        his.locator("body").press("7")
        expect(his.locator("#column-6")).to_be_focused()
        ben.keyboard.press("Enter")
        expect(hers.get_by_role("status")).to_have_text("It is your turn.")
    hers.get_by_role("button", name="Column 1:").click()

    expect(hers.get_by_role("status")).to_have_text("You have won!")
    expect(his.get_by_role("status")).to_have_text("You have lost: ann has won.")
    expect(watching.get_by_role("status")).to_have_text("ann has won.")
    for each in (hers, his, watching):
        expect(each.locator("i.red.line")).to_have_count(4)
        expect(each.get_by_role("button", name="Column")).to_have_count(0)
    his.get_by_role("link", name="All games").click()
    expect(his.get_by_role("link", name="ann – ben")).to_contain_text("ann won after 7 moves")


@pytest.fixture
def game(live_site: Site, tmp_path: Path) -> Item:
    """A game of ann and ben, after a move of each."""
    load(tmp_path, GAME)
    value = {"first": "ann", "second": "ben", "moves": [3, 3], "over": False, "gave_up": 0}
    collection = Collection.objects.get(name="FourGames")
    return add_item(actor=account("ann"), collection=collection, value=value)


def test_who_moves_out_of_turn_is_told_so(live_site: Site, as_person: SignIn, game: Item) -> None:
    hers = opened(as_person("ann"), live_site, "FourInARow")
    hers.get_by_role("link", name="ann – ben").click()
    # Opened apart from the site, a page isn't live: it keeps what was there.
    old = as_person()
    old.goto(f"{live_site.url}{visit_url('FourInARow', account('ann'))}{game.pk}")
    expect(old.get_by_role("status")).to_have_text("It is your turn.")
    hers.get_by_role("button", name="Column 3:").click()
    expect(hers.get_by_role("status")).to_have_text("It is ben’s turn.")

    old.get_by_role("button", name="Column 5:").click()
    expect(old.get_by_role("alert")).to_have_text("It is ben’s turn. Your move wasn’t made.")
    expect(old.get_by_role("img", name="Column 3: red")).to_be_visible()
    expect(old.get_by_role("img", name="Column 5: empty")).to_be_visible()
    game.refresh_from_db()
    assert game.value["moves"] == [3, 3, 2]


def test_of_two_moves_at_once_one_is_made(live_site: Site, as_person: SignIn, game: Item) -> None:
    his = opened(as_person("ben"), live_site, "FourInARow")
    his.get_by_role("link", name="ann – ben").click()
    expect(his.get_by_role("status")).to_have_text("It is ann’s turn.")
    address = f"{live_site.url}{visit_url('FourInARow', account('ann'))}"

    def move(column: int) -> tuple[int, str]:
        form = {"act": "move", "game": game.pk, "number": 2, "column": column}
        try:
            with urlopen(Request(address, urlencode(form).encode())) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as refused:
            return refused.code, refused.read().decode()

    (made, _), (refused, said) = sorted(run_together(move, [0, 6]))
    assert (made, refused) == (200, 409)
    assert "ben’s turn. Your move wasn’t made." in said
    expect(his.get_by_role("status")).to_have_text("It is your turn.")
    expect(his.locator(".four i.red")).to_have_count(2)
    game.refresh_from_db()
    assert game.value["moves"] in ([3, 3, 0], [3, 3, 6])
