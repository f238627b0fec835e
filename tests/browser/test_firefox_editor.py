"""The editor, in Firefox as well."""
# ruff: noqa: F403

from tests.browser.test_editor import *
from tests.support.browser.firefox import browser  # noqa: F401 - a fixture
