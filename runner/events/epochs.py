"""Epochs: a restored database continues another history than its clients have seen."""

import time

from django.db import transaction
from django.db.models import Max

from runner.events.topics import HISTORY
from runner.models import Topic

# 1 January 2020. Seconds since then exceed all earlier epochs, even those of a lost database, and
# fit the column until 2088.
FIRST_EPOCH_AT = 1_577_836_800


def begin_epoch() -> int:
    """Give all topics, present and future, a new epoch; return it."""
    with transaction.atomic():
        highest = Topic.objects.aggregate(highest=Max("epoch"))["highest"] or 1
        epoch = max(int(highest) + 1, int(time.time()) - FIRST_EPOCH_AT)
        Topic.objects.bulk_create([Topic(name=HISTORY)], ignore_conflicts=True)
        Topic.objects.update(epoch=epoch)
    return epoch
