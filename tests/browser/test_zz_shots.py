from playwright.sync_api import expect
from tests.functions.writing import constant, define, implement, publish_test
from tests.site import becomes_quiet

def test_shots(live_site, as_person):
    function = define("Add")
    publish_test(function, "def test_value():\n    assert Add() == 1\n")
    implement(function, constant("Add", 1))
    assert becomes_quiet()
    url = live_site.url + function.get_absolute_url()
    others = [as_person(n) for n in ("otto", "iris", "wren", "zoe", "")]
    for p in others:
        p.goto(url)
    for scheme, width in (("light", 1280), ("dark", 1280), ("light", 390)):
        page = as_person("mira", color_scheme=scheme, viewport={"width": width, "height": 900})
        page.goto(url)
        expect(page.locator("[data-presence]")).to_contain_text("iris, otto, wren + 2 others")
        page.wait_for_timeout(500)
        page.screenshot(path=f"/tmp/sc/presence/{scheme}-{width}.png")
        if width == 390:
            page.evaluate("document.querySelector('.presence').scrollIntoView({block: 'center'})")
            page.screenshot(path=f"/tmp/sc/presence/{scheme}-{width}-b.png")
            page.locator("#results > summary").click()
            page.wait_for_timeout(300)
            page.screenshot(path=f"/tmp/sc/presence/{scheme}-{width}-closed.png")
        page.close()
