"""Endpoints and schemas of the REST API, one noun per file."""

from . import histories
from .acceptance import router as acceptance_tests
from .applications import router as applications
from .batches import router as batches
from .calls import router as calls
from .canaries import router as canaries
from .checks import router as checks
from .collections import router as collections
from .comments import router as comments
from .document_templates import router as document_templates
from .document_views import router as document_views
from .documents import router as documents
from .exports import router as exports
from .function_works import drafts
from .function_works import router as function_works
from .functions import router as functions
from .graphs import router as graphs
from .help_wanted import router as help_wanted
from .imports import router as imports
from .items import router as items
from .moderation import router as moderation
from .notifications import router as notifications
from .notifications import watches
from .owner_actions import router as stewardship
from .people import own_profile, watched_people
from .people import router as people
from .previews import asking as asking_for_previews
from .previews import router as previews
from .releases import router as releases
from .resource_use import router as use
from .results import router as results
from .tasks import router as tasks
from .topics import router as topics
from .undefined_names import router as wanted
from .votes import router as votes
from .webhooks import router as webhooks
from .works import implementations, tests

__all__ = [
    "acceptance_tests",
    "applications",
    "asking_for_previews",
    "batches",
    "calls",
    "canaries",
    "checks",
    "collections",
    "comments",
    "document_templates",
    "document_views",
    "documents",
    "drafts",
    "exports",
    "function_works",
    "functions",
    "graphs",
    "help_wanted",
    "histories",
    "implementations",
    "imports",
    "items",
    "moderation",
    "notifications",
    "own_profile",
    "people",
    "previews",
    "releases",
    "results",
    "stewardship",
    "tasks",
    "tests",
    "topics",
    "use",
    "votes",
    "wanted",
    "watched_people",
    "watches",
    "webhooks",
]
