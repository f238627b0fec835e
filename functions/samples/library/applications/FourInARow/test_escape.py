value = {"first": "<b>ann</b>", "second": "<i>ben</i>", "moves": [3], "over": False, "gave_up": 0}
game = {"id": 7, "version": 1, "author": "ann", "value": value}
for path in ("", "7"):
    page = render(path=path, going=[game], visitor="<b>ann</b>")
    assert "<b>ann" not in page.text and "<i>ben" not in page.text
    assert "<b>ann</b>" in page.select("main")[0].text
