"""Users' settings of e-mail digests, and the state of sending them."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Digest(models.Model):
    """A user's settings of e-mail digests; without a row, there are none.

    `period` is the first day of the last period that a mail was claimed for. It is written before
    the mail is sent, so a period has one mail at most. `sent_up_to` is written afterwards, so the
    next mail repeats the content of a lost one.
    """

    class Frequency(models.TextChoices):
        OFF = "off", _("Off")
        DAILY = "daily", _("Daily")
        WEEKLY = "weekly", _("Weekly")

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="digest"
    )
    frequency = models.CharField(max_length=8, choices=Frequency.choices, default=Frequency.OFF)
    address = models.EmailField(blank=True, default="")
    confirmed_at = models.DateTimeField(null=True)  # by a link in a mail to the address
    period = models.DateField(null=True)
    sent_up_to = models.BigIntegerField(default=0)  # id of the last notification in a mail

    class Meta:
        indexes = [
            # due digests
            models.Index(
                name="digest_wanted",
                fields=["frequency", "user"],
                condition=~Q(frequency="off") & ~Q(confirmed_at=None),
            )
        ]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.frequency}"
