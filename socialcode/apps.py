"""The Django app of the site as a whole, for its commands."""

from django.apps import AppConfig


class SocialCodeConfig(AppConfig):
    """The site as a whole; it has no models."""

    name = "socialcode"
