import json

VALUE = {"first": "ann", "second": "ben", "moves": [3], "over": False, "gave_up": 0}
GAME = {"id": 7, "version": 1, "author": "ann", "value": VALUE}
for path, waits in (("7", False), ("", True)):
    data = render(path=path, going=[GAME], visitor="ben").data
    assert type(data["html"]) is str
    assert json.loads(json.dumps(data)) == data
    assert (data["state"] is None) == waits
    assert data["games"] == [7]
