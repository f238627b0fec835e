"""The Django app of accounts."""

from importlib import import_module

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Accounts, sessions, tokens and suspensions."""

    name = "socialcode.accounts"
    label = "accounts"

    def ready(self) -> None:
        # Not imported at the top, because these modules need the models, which are loaded now.
        import_module("socialcode.accounts.sockets").register()
        for name in ("account_changes", "sign_ins", "sign_in_methods"):
            import_module(f"socialcode.accounts.signals.{name}").register()
        handlers = import_module("runner.registry").handlers
        handlers.add(import_module("socialcode.accounts.sessions").HANDLERS)
        handlers.add(import_module("socialcode.accounts.security.guesses").HANDLERS)
        handlers.add(import_module("socialcode.accounts.personal_data.erasure").HANDLERS)
        import_module("socialcode.accounts.names.rules").register()
        import_module("socialcode.accounts.agents.accounts").register()
