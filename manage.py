#!/usr/bin/env python
"""Runs Django's commands for Social Code."""

import gc
import os
import sys

import django
from django.core.management import execute_from_command_line

from socialcode.environment import SettingError

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialcode.settings")
    # What is loaded here lasts; the collector would look it through time and again.
    gc.disable()
    try:
        django.setup()
    except SettingError as wrong:
        sys.exit(str(wrong))
    gc.freeze()
    gc.enable()
    execute_from_command_line(sys.argv)
