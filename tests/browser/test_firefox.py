"""The journeys of visitors, newcomers and watchers, in Firefox as well."""
# ruff: noqa: F403

from tests.browser.test_access import (
    nine,  # noqa: F401 - a fixture
    test_the_main_job_by_keyboard_alone,  # noqa: F401
)
from tests.browser.test_first_function import *
from tests.browser.test_watched_page import *
from tests.support.browser.firefox import browser  # noqa: F401 - a fixture
