"""Django's admin of accounts and tokens."""

from allauth.account.decorators import secure_admin_login
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


@admin.register(ApiToken)
class ApiTokenAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic to mypy alone
    """Tokens, which staff may see and revoke, but not create or change."""

    list_display = ("prefix", "user", "name", "created_at", "last_used_at")
    search_fields = ("user__username", "prefix", "name")
    exclude = ("digest",)

    def has_add_permission(self, request: object) -> bool:  # noqa: ARG002 - nobody may
        return False

    def has_change_permission(
        self,
        request: object,  # noqa: ARG002 - nobody may
        obj: ApiToken | None = None,  # noqa: ARG002 - none may be
    ) -> bool:
        return False
