"""Settings of signing in and of django-allauth, which `socialcode.settings` adds to its own.

What allauth does for us, and what it doesn't, is in docs/decisions/0090-django-allauth-signs-in.md.
"""

from typing import Any

APPS = (
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.google",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.mfa",
    "allauth.usersessions",
)
MIDDLEWARE = "allauth.account.middleware.AccountMiddleware"

_SETTINGS: dict[str, Any] = {
    "LOGIN_URL": "/accounts/login/",
    "LOGIN_REDIRECT_URL": "/",
    "LOGOUT_REDIRECT_URL": "/",
    "PASSWORD_RESET_TIMEOUT": 3_600,
    "AUTH_PASSWORD_VALIDATORS": [
        {"NAME": name}
        for name in (
            "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
            "django.contrib.auth.password_validation.MinimumLengthValidator",
            "socialcode.accounts.passwords.strength.StrengthValidator",
        )
    ],
    "ACCOUNT_ADAPTER": "socialcode.accounts.sign_in.adapter.AccountAdapter",
    "ACCOUNT_FORMS": {
        "login": "socialcode.accounts.forms.SignInForm",
        "signup": "socialcode.accounts.forms.SignUpForm",
        "change_password": "socialcode.accounts.forms.PasswordChangeForm",
        "set_password": "socialcode.accounts.forms.PasswordSetForm",
        "reset_password": "socialcode.accounts.forms.ResetRequestForm",
        "reset_password_from_key": "socialcode.accounts.forms.PasswordResetForm",
        "reauthenticate": "socialcode.accounts.forms.PasswordAgainForm",
        "add_email": "socialcode.accounts.forms.AddressForm",
    },
    # Before tokens, addresses, passwords and factors are changed.
    "ACCOUNT_REAUTHENTICATION_REQUIRED": True,
    "ACCOUNT_REAUTHENTICATION_METHODS": ("password", "mfa"),
    "ACCOUNT_REAUTHENTICATION_TIMEOUT": 600,
    # A new address replaces the current one when it is confirmed.
    "ACCOUNT_CHANGE_EMAIL": True,
    "ACCOUNT_LOGIN_METHODS": {"username", "email"},
    "ACCOUNT_SESSION_REMEMBER": True,
    # Forms don't tell whether an address has an account: any number of accounts may have it
    # unconfirmed, and one confirmed.
    "ACCOUNT_PREVENT_ENUMERATION": "strict",
    "ACCOUNT_EMAIL_NOTIFICATIONS": True,
    # Ours are counted before any view (functions/request_limits.py), guesses in PostgreSQL.
    "ACCOUNT_RATE_LIMITS": False,
    # The user chooses the public name themselves.
    "SOCIALACCOUNT_AUTO_SIGNUP": False,
    # A provider that says anything of addresses could otherwise sign in as anybody.
    "SOCIALACCOUNT_EMAIL_AUTHENTICATION": False,
}


def settings_of(*, confirm_email: bool) -> dict[str, Any]:
    """Return the settings of signing in."""
    # By default nobody needs an address, because a site works without a mail server.
    email = "email*" if confirm_email else "email"
    return {
        **_SETTINGS,
        "ACCOUNT_SIGNUP_FIELDS": ["username*", email, "password1*", "password2*"],
        "ACCOUNT_EMAIL_VERIFICATION": "mandatory" if confirm_email else "optional",
    }
