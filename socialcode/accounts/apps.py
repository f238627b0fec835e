"""The Django app of accounts."""

from importlib import import_module

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Signing up, in and out."""

    name = "socialcode.accounts"
    label = "accounts"

    def ready(self) -> None:
        # Imported here, as they need the models, which are not loaded before.
        import_module("socialcode.accounts.sockets").register()
        handlers = import_module("runner.registry").handlers
        handlers.add(import_module("socialcode.accounts.sessions").HANDLERS)
        import_module("socialcode.accounts.names.rules").register()
