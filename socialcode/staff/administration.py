"""Django's administration, with what staff change in the audit log and the security log."""

from collections.abc import Iterable
from typing import Any

from django.contrib.admin import AdminSite, ModelAdmin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db.models import Model
from django.utils.translation import override

from functions.audit import MAX_REASON_LENGTH, record_act
from functions.models import AuditEntry
from socialcode.accounts.security.log import Event, log_event

MAX_LABEL_LENGTH, MAX_KIND_LENGTH = 200, 16
Act = AuditEntry.Act


class AuditedSite(AdminSite):
    """Audits changes of all models, whichever app registers them."""

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Register models, with the audited form of their administration."""
        base = admin_class or ModelAdmin
        audited = type(base.__name__, (AuditedAdmin, base), {"__module__": base.__module__})
        super().register(model_or_iterable, audited, **options)


class AuditedAdmin:
    """Writes the audit log and the security log beside Django's own; mixed into `ModelAdmin`."""

    def log_addition(self, request: Any, obj: Model, message: Any) -> LogEntry:
        """Log an addition."""
        entry: LogEntry = super().log_addition(request, obj, message)  # type: ignore[misc]
        audit(request.user, Act.ADMIN_ADDED, obj, entry)
        return entry

    def log_change(self, request: Any, obj: Model, message: Any) -> LogEntry:
        """Log a change, and of which fields."""
        entry: LogEntry = super().log_change(request, obj, message)  # type: ignore[misc]
        audit(request.user, Act.ADMIN_CHANGED, obj, entry)
        return entry

    def log_deletions(self, request: Any, queryset: Iterable[Model]) -> Any:
        """Log deletions, before they happen."""
        entries = super().log_deletions(request, queryset)  # type: ignore[misc]
        for obj in queryset:
            audit(request.user, Act.ADMIN_DELETED, obj, None)
        return entries


def audit(staff: User, act: AuditEntry.Act, obj: Model, entry: LogEntry | None) -> None:
    """Record an act of staff on a row, and what of it was changed."""
    with override("en"):
        noun = str(obj._meta.verbose_name)  # noqa: SLF001 - Django's documented interface
        changes = entry.get_change_message() if entry else ""
    account = obj if isinstance(obj, User) else None
    # One that will be deleted can't be referred to.
    person = account if act is Act.ADMIN_CHANGED else None
    label = noun if person else f"{noun} {account.get_username() if account else obj.pk}"
    record_act(
        staff,
        act,
        person=person,
        kind=noun[:MAX_KIND_LENGTH],
        label=label[:MAX_LABEL_LENGTH],
        reason=changes[:MAX_REASON_LENGTH],
    )
    log_event(Event(act.value), user=account, object=noun, object_id=str(obj.pk), changes=changes)
