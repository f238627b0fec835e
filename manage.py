#!/usr/bin/env python
"""Runs Django's commands for Social Code."""

import gc
import os
import sys

import django
from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialcode.settings")
    # What is loaded here lasts; the collector would look it through time and again.
    gc.disable()
    django.setup()
    gc.freeze()
    gc.enable()
    execute_from_command_line(sys.argv)
