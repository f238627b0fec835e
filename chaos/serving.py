"""Serves the site as `python -m socialcode.web` does, with public topics for the load."""

import socialcode.asgi  # noqa: F401 - loads the apps, whose models are needed below
from runner.registry import handlers
from socialcode import web

if __name__ == "__main__":
    handlers.topic_permissions["chaos"] = lambda _actor, _row_id: True
    web.main()
