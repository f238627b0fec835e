"""Settings of signing in and of django-allauth, which `socialcode.settings` adds to its own.

What allauth does for us, and what it doesn't, is in docs/decisions/0094-django-allauth-signs-in.md.
"""

from typing import Any

from socialcode.environment import SettingError

APPS = (
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.mfa",
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
    "ACCOUNT_REAUTHENTICATION_METHODS": ("password", "mfa", "socialaccount"),
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
    "SOCIALACCOUNT_ADAPTER": "socialcode.accounts.providers.adapter.ProviderAdapter",
    "SOCIALACCOUNT_FORMS": {"signup": "socialcode.accounts.providers.forms.ProviderSignUpForm"},
    # The user chooses the public name themselves.
    "SOCIALACCOUNT_AUTO_SIGNUP": False,
    # A provider that says anything of addresses could otherwise sign in as anybody.
    "SOCIALACCOUNT_EMAIL_AUTHENTICATION": False,
    "MFA_ADAPTER": "socialcode.accounts.factors.adapter.FactorAdapter",
    "MFA_FORMS": {
        "authenticate": "socialcode.accounts.factors.forms.CodeForm",
        "reauthenticate": "socialcode.accounts.factors.forms.CodeAgainForm",
        "activate_totp": "socialcode.accounts.factors.forms.FirstCodeForm",
        "add_webauthn": "socialcode.accounts.factors.forms.PasskeyForm",
    },
    "MFA_SUPPORTED_TYPES": ["totp", "webauthn", "recovery_codes"],
    "MFA_PASSKEY_LOGIN_ENABLED": True,
    "MFA_RECOVERY_CODES_SHOW_ONCE": True,
    # Clocks of phones and servers differ by seconds.
    "MFA_TOTP_TOLERANCE": 1,
    # Accounts need no address here.
    "MFA_ALLOW_UNVERIFIED_EMAIL": True,
    "MFA_RATE_LIMITS": False,
}


def settings_of(confirm_email: bool, sends_mail: bool, secure: bool) -> dict[str, Any]:
    """Return the settings of signing in. `secure` is whether the site has HTTPS."""
    if confirm_email and not sends_mail:
        raise SettingError(
            "SOCIALCODE_CONFIRM_EMAIL is set. Set EMAIL_URL, too, or nobody can sign up."
        )
    # By default nobody needs an address, because a site works without a mail server.
    email = "email*" if confirm_email else "email"
    return {
        **_SETTINGS,
        "MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN": not secure,
        "ACCOUNT_SIGNUP_FIELDS": ["username*", email, "password1*", "password2*"],
        "ACCOUNT_EMAIL_VERIFICATION": "mandatory" if confirm_email else "optional",
    }
