"""Collections of JSON values, and their items."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Role(models.TextChoices):
    """Whom a rule allows something; owners and staff may do everything."""

    EVERYONE = "everyone", _("everyone")
    SIGNED_IN = "signed_in", _("whoever is signed in")
    AUTHOR = "author", _("the item's author")
    OWNER = "owner", _("the owner")


# Roles that each rule may name: nobody writes without an account, and a new item has no author.
READERS = (Role.EVERYONE, Role.SIGNED_IN, Role.AUTHOR, Role.OWNER)
ADDERS = (Role.SIGNED_IN, Role.OWNER)
CHANGERS = (Role.SIGNED_IN, Role.AUTHOR, Role.OWNER)


class Collection(models.Model):
    """A named set of items, with a schema, and rules of who may read, add and change them."""

    class State(models.TextChoices):
        OPEN = "open", _("open")
        CLOSED = "closed", _("closed")  # can be read, and nothing else

    name = models.CharField(max_length=80)
    name_key = models.CharField(max_length=80)  # in lower case
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="collections"
    )
    description = models.TextField(blank=True, default="")  # Markdown
    schema = models.JSONField(null=True, blank=True)
    # name of the document that is the schema; empty: `schema`, if any
    schema_document = models.CharField(max_length=80, blank=True, default="")
    may_read = models.CharField(max_length=16, choices=Role.choices, default=Role.EVERYONE)
    may_add = models.CharField(max_length=16, choices=Role.choices, default=Role.SIGNED_IN)
    may_change = models.CharField(max_length=16, choices=Role.choices, default=Role.AUTHOR)
    needs_match = models.BooleanField(default=False)  # PUT, PATCH and DELETE need `If-Match`
    state = models.CharField(max_length=16, choices=State.choices, default=State.OPEN)
    # names of pages that may read and change items as their visitors may
    pages = ArrayField(models.CharField(max_length=80), blank=True, default=list, db_default=[])
    version = models.IntegerField(default=1)
    item_count = models.IntegerField(default=0)
    item_bytes = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(name="collection_name_once", fields=["name_key"]),
            models.CheckConstraint(
                name="collection_counts",
                condition=models.Q(item_count__gte=0, item_bytes__gte=0),
            ),
            models.CheckConstraint(
                name="collection_rules",
                condition=models.Q(
                    may_read__in=READERS, may_add__in=ADDERS, may_change__in=CHANGERS
                ),
            ),
        ]
        indexes = [
            # the list of collections
            models.Index(name="collection_by_change", fields=["-changed_at", "-id"]),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("collection", args=[self.name])

    @property
    def topic(self) -> str:
        """Name of the topic with the changes of its items."""
        return f"collection:{self.pk}"

    @property
    def first_line(self) -> str:
        """The first line of the description, for lists."""
        return self.description.strip().partition("\n")[0][:200]

    def lists(self, page: str) -> bool:
        """Return whether this page may read and change items for its visitors."""
        return page.lower() in map(str.lower, self.pages)

    @property
    def is_public(self) -> bool:
        """Whether anybody may read all items."""
        return self.may_read == Role.EVERYONE


class Item(models.Model):
    """A JSON value in a collection."""

    id = models.BigAutoField(primary_key=True)
    collection = models.ForeignKey(
        Collection, on_delete=models.CASCADE, related_name="items", db_index=False
    )
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="items"
    )
    value = models.JSONField()
    bytes = models.IntegerField()  # of the value as JSON
    version = models.IntegerField(default=1)
    created_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            # a collection's items in order
            models.Index(name="item_of_collection", fields=["collection", "id"]),
            # queries: equal members, and lists that have an element. Without a list of pending
            # entries, which each query would read, and take the index for dear.
            GinIndex(
                name="item_values", fields=["value"], opclasses=["jsonb_path_ops"], fastupdate=False
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)

    def get_absolute_url(self) -> str:
        return reverse("collection-item", args=[self.collection.name, self.pk])


class AppliedRequest(models.Model):
    """The changes that one request to a page has made; a request that comes twice makes none."""

    id = models.BigAutoField(primary_key=True)
    page = models.CharField(max_length=80)  # its name then
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="applied_requests"
    )
    request_id = models.CharField(max_length=64)
    commands = models.JSONField()
    applied_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="request_applied_once", fields=["user", "page", "request_id"]
            ),
        ]

    def __str__(self) -> str:
        return f"{self.page}: {self.request_id}"
