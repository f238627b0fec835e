"""Serves the site to tests as a process of its own; `open:<any>` is for anyone to follow.

`STREAM_CONSTANTS` is JSON, such as `{"runner.sockets.flow_control:RESEND_SECONDS": 1}`.
"""

import json
import os
from importlib import import_module

import django

from socialcode.web import main

if __name__ == "__main__":
    django.setup()
    import_module("runner.registry").register_topic("open", lambda _actor, _row_id: True)
    for place, value in json.loads(os.environ["STREAM_CONSTANTS"]).items():
        module, _, name = place.partition(":")
        assert hasattr(import_module(module), name)
        setattr(import_module(module), name, value)
    main()
