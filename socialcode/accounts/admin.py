"""Django's admin of accounts, and of what they sign in with."""

from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User

from socialcode.accounts.forms import AccountForm, AccountMakingForm
from socialcode.accounts.models import ApiToken

# Staff sign in on the site's own page, with its limits and all its steps.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
admin.site.unregister(User)


@admin.register(User)
class AccountAdmin(UserAdmin):  # type: ignore[type-arg]  # generic to mypy alone
    """Accounts, without suspensions: those are made on our own page, which audits them."""

    form = AccountForm
    add_form = AccountMakingForm
    readonly_fields = ("is_active",)
    search_fields = (*UserAdmin.search_fields, "former_names__name")


class ListedAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic to mypy alone
    """Rows that staff may see and remove, but not create or change."""

    def has_add_permission(self, request: object) -> bool:  # noqa: ARG002 - nobody may
        return False

    def has_change_permission(
        self,
        request: object,  # noqa: ARG002 - nobody may
        obj: object = None,  # noqa: ARG002 - none may be
    ) -> bool:
        return False


@admin.register(ApiToken)
class ApiTokenAdmin(ListedAdmin):
    """Tokens."""

    list_display = ("prefix", "user", "name", "created_at", "expires_at", "last_used_at")
    search_fields = ("user__username", "prefix", "name")
    exclude = ("digest",)


# allauth's own would let staff read second factors' secrets, and confirm addresses themselves.
for model in (EmailAddress, SocialAccount, SocialApp, SocialToken, Authenticator):
    admin.site.unregister(model)


@admin.register(EmailAddress)
class AddressAdmin(ListedAdmin):
    """Mail addresses."""

    list_display = ("email", "user", "verified", "primary")
    search_fields = ("user__username", "email")


@admin.register(SocialAccount)
class ProviderAccountAdmin(ListedAdmin):
    """Accounts at providers that sign in as one here."""

    list_display = ("user", "provider", "date_joined", "last_login")
    search_fields = ("user__username",)
    exclude = ("uid", "extra_data")


@admin.register(Authenticator)
class FactorAdmin(ListedAdmin):
    """Second factors, which staff remove for people who have lost them."""

    list_display = ("user", "type", "created_at", "last_used_at")
    search_fields = ("user__username",)
    exclude = ("data",)
