"""The site's settings, with this example installed."""

from socialcode.settings import *  # noqa: F403
from socialcode.settings import INSTALLED_APPS as SITE_APPS

INSTALLED_APPS = [*SITE_APPS, "examples.philosophers.apps.PhilosophersConfig"]
