"""Models of the product, one noun per file."""

from .acceptance import AcceptanceTest
from .agent import AGENT_MARK, Agent, AgentLabel, is_agent_name
from .audit import AuditEntry
from .canary import Canary, LockedRelease
from .cascade import Level, Supersession
from .cell import Cell
from .chase import Chase
from .collection import ADDERS, CHANGERS, READERS, AppliedRequest, Collection, Item, Role
from .comment import Comment
from .dependency import Dependency
from .digest import Digest
from .document import Document
from .document_revision import DocumentRevision
from .document_template import DocumentTemplate
from .document_view import (
    DocumentView,
    DocumentViewChange,
    DocumentViewEntry,
    DocumentViewGroup,
    DocumentViewRank,
)
from .election import Election
from .flag import Flag
from .former_name import FormerName
from .function import Function, FunctionRevision
from .kept_answer import KeptAnswer
from .preview import Effect, Preview
from .profile import Profile
from .release import Release, ReleaseFile
from .runtime import Runtime
from .usage import Usage
from .vote import Vote, VoteChange
from .watch import NameWatch, Notice, Notification, PersonWatch, Watch
from .webhook import Webhook, WebhookDelivery
from .work import MODULE_SOURCE, Implementation, Test, Work

__all__ = [
    "ADDERS",
    "AGENT_MARK",
    "CHANGERS",
    "MODULE_SOURCE",
    "READERS",
    "AcceptanceTest",
    "Agent",
    "AgentLabel",
    "AppliedRequest",
    "AuditEntry",
    "Canary",
    "Cell",
    "Chase",
    "Collection",
    "Comment",
    "Dependency",
    "Digest",
    "Document",
    "DocumentRevision",
    "DocumentTemplate",
    "DocumentView",
    "DocumentViewChange",
    "DocumentViewEntry",
    "DocumentViewGroup",
    "DocumentViewRank",
    "Effect",
    "Election",
    "Flag",
    "FormerName",
    "Function",
    "FunctionRevision",
    "Implementation",
    "Item",
    "KeptAnswer",
    "Level",
    "LockedRelease",
    "NameWatch",
    "Notice",
    "Notification",
    "PersonWatch",
    "Preview",
    "Profile",
    "Release",
    "ReleaseFile",
    "Role",
    "Runtime",
    "Supersession",
    "Test",
    "Usage",
    "Vote",
    "VoteChange",
    "Watch",
    "Webhook",
    "WebhookDelivery",
    "Work",
    "is_agent_name",
]
