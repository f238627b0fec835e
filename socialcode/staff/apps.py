"""The Django app of the administration."""

from django.contrib.admin.apps import SimpleAdminConfig


class AdminConfig(SimpleAdminConfig):
    """Django's administration, whose changes are audited."""

    default_site = "socialcode.staff.administration.AuditedSite"
