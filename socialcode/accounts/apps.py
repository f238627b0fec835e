"""Registers the accounts."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Signing up, in and out."""

    name = "socialcode.accounts"
    label = "accounts"
