"""Rate limits of all actions, by page and API address; documented in docs/limits.md.

Requests are counted by `socialcode.throttle`, before any other work. Expensive actions have a
second limit, counted by their use case. A hundred a minute is more than one user does by hand;
several users may share an address.
"""

from django.utils.translation import gettext_noop

from functions.rate_limits import Limit, Rate, anonymous_limit, limit

MINUTE, TEN_MINUTES, HOUR = 60, 600, 3_600

LIMITS = (
    anonymous_limit(
        gettext_noop("sign-ins"),
        120,
        MINUTE,
        pages="account_login oidc mfa_authenticate mfa_login_webauthn",
        api=("POST tokens/",),
    ),
    anonymous_limit(
        gettext_noop("sign-ups"), 300, TEN_MINUTES, pages="account_signup socialaccount_signup"
    ),
    anonymous_limit(
        gettext_noop("links of mails and requests for them"),
        60,
        TEN_MINUTES,
        pages="account_reset_password account_reset_password_from_key account_confirm_email",
    ),
    limit(
        gettext_noop("changes of how one signs in"),
        60,
        TEN_MINUTES,
        pages="account-name account_email account_change_password account_set_password"
        " account_reauthenticate socialaccount_connections mfa_activate_totp mfa_deactivate_totp"
        " mfa_add_webauthn mfa_remove_webauthn mfa_generate_recovery_codes mfa_reauthenticate"
        " mfa_reauthenticate_webauthn end-sessions",
        api="PUT account/username/",
    ),
    limit(gettext_noop("new tokens"), 20, TEN_MINUTES, pages="tokens"),
    limit(
        gettext_noop("changed agents"),
        20,
        TEN_MINUTES,
        pages="agents renew-agent retire-agent label-account",
        api="""
        POST agents/ POST agents/<username>/token/ DELETE agents/<username>/
        PUT account/agent-label/ DELETE account/agent-label/
        """,
    ),
    limit(
        gettext_noop("webhooks changed or tried"),
        60,
        TEN_MINUTES,
        pages="webhooks webhook switch-webhook webhook-secret delete-webhook ping-webhook"
        " resend-delivery",
        api="""
        POST webhooks/ PATCH webhooks/<int:id>/ DELETE webhooks/<int:id>/
        POST webhooks/<int:id>/secret/ POST webhooks/<int:id>/ping/
        POST webhooks/<int:id>/deliveries/<int:delivery>/resend/
        """,
    ),
    limit(gettext_noop("revoked tokens"), 100, pages="revoke-token", api="DELETE tokens/<int:id>/"),
    limit(
        gettext_noop("exports and deletions of accounts"),
        20,
        TEN_MINUTES,
        pages="export-account delete-account",
        api="POST account/deletion/",
    ),
    limit(gettext_noop("new functions"), 100, pages="new-function", api="POST functions/"),
    limit(
        gettext_noop("changed views"),
        30,
        pages="new-document-view delete-document-view",
        api="POST views/ DELETE views/<name>/",
    ),
    limit(gettext_noop("clones"), 10, pages="clone-function", api="POST functions/<name>/clone/"),
    limit(
        gettext_noop("changed functions"),
        100,
        pages="edit-function delete-function restore manage-function answer-offer",
        api="""
        PATCH functions/<name>/ DELETE functions/<name>/
        POST functions/<name>/revisions/<int:id>/restore/ POST functions/<name>/rename/
        PUT functions/<name>/offer/ DELETE functions/<name>/offer/
        POST functions/<name>/offer/accept/ POST functions/<name>/transfer/
        POST functions/<name>/archive/ POST functions/<name>/unarchive/
        """,
    ),
    limit(
        gettext_noop("changed documents"),
        100,
        pages="restore-document",
        api="""
        PUT documents/<name>/ PATCH documents/<name>/
        POST documents/<name>/versions/<int:number>/restore/
        """,
    ),
    limit(
        gettext_noop("templates of documents changed, tried or applied"),
        100,
        pages="new-document-template document-template delete-document-template",
        api="""
        POST document-templates/ PUT document-templates/<name>/ DELETE document-templates/<name>/
        POST document-templates/<name>/apply/
        """,
        visitor=20,
    ),
    limit(gettext_noop("imports"), 30, pages="import", api="POST imports/ POST imports/preview/"),
    limit(
        gettext_noop("new drafts"),
        100,
        pages="new-implementation new-test new-acceptance-test copy",
        api="""
        POST functions/<name>/implementations/ POST functions/<name>/tests/
        POST acceptance-tests/
        """,
    ),
    limit(
        gettext_noop("saved drafts"),
        300,
        pages="draft edit-acceptance-test",
        api="""
        PATCH implementations/<int:id>/ PATCH tests/<int:id>/ PATCH acceptance-tests/<int:id>/
        PUT implementations/<int:id>/ PUT tests/<int:id>/
        """,
    ),
    limit(gettext_noop("checked drafts"), 600, pages="check-draft format-draft"),
    limit(
        gettext_noop("discarded drafts"),
        100,
        pages="discard-draft discard-acceptance-test",
        api="DELETE implementations/<int:id>/ DELETE tests/<int:id>/",
    ),
    limit(
        gettext_noop("runs"),
        100,
        pages="run-draft run-acceptance-test run-function-again retry-run run-again"
        " run-record-again",
        api="""
        POST implementations/<int:id>/run/ POST tests/<int:id>/run/
        POST functions/<name>/run-again/ POST batches/<int:id>/retry/
        POST batches/<int:id>/run-again/ POST results/<key>/run-again/
        """,
    ),
    limit(
        gettext_noop("cancelled runs"), 100, pages="cancel-run", api="POST batches/<int:id>/cancel/"
    ),
    limit(
        gettext_noop("calls"),
        600,
        pages="try-function",
        api="POST functions/<name>/call/ POST functions/<name>/check/",
        visitor=20,
    ),
    limit(
        gettext_noop("forms sent to pages"), 600, pages="page page-preview page-visit", visitor=600
    ),
    limit(
        gettext_noop("publications"),
        100,
        pages="publish-draft publish-acceptance-test",
        api="""
        POST implementations/<int:id>/publish/ POST tests/<int:id>/publish/
        POST acceptance-tests/<int:id>/publish/
        """,
    ),
    limit(
        gettext_noop("withdrawals"),
        100,
        pages="withdraw withdraw-acceptance-test",
        api="""
        POST implementations/<int:id>/withdraw/ POST tests/<int:id>/withdraw/
        POST acceptance-tests/<int:id>/withdraw/
        """,
    ),
    limit(
        gettext_noop("owners' verdicts"),
        100,
        pages="judge",
        api="PUT implementations/<int:id>/verdict/ PUT tests/<int:id>/verdict/",
    ),
    limit(
        gettext_noop("previews"),
        60,
        pages="preview-draft preview-withdraw preview-judge preview-delete tell-preview",
        api="""
        POST implementations/<int:id>/preview/ POST tests/<int:id>/preview/
        POST functions/<name>/preview/ POST previews/<int:id>/tell/
        """,
    ),
    limit(
        gettext_noop("votes"),
        100,
        pages="vote",
        api="""
        PUT implementations/<int:id>/vote/ PUT tests/<int:id>/vote/ PUT comments/<int:id>/vote/
        """,
    ),
    limit(
        gettext_noop("comments"),
        100,
        pages="discussion comment edit-comment delete-comment hide-comment show-comment",
        api="""
        POST functions/<name>/comments/ POST implementations/<int:id>/comments/
        POST tests/<int:id>/comments/ POST comments/<int:id>/replies/
        PATCH comments/<int:id>/ DELETE comments/<int:id>/
        POST comments/<int:id>/hide/ POST comments/<int:id>/show/
        """,
    ),
    limit(
        gettext_noop("changed collections"),
        30,
        pages="new-collection change-collection delete-collection",
        api="POST collections/ PATCH collections/<name>/ DELETE collections/<name>/",
    ),
    limit(
        gettext_noop("changed items of collections"),
        600,
        pages="new-item collection-item delete-item",
        api="""
        POST collections/<name>/items/ PUT collections/<name>/items/<int:id>/
        PATCH collections/<name>/items/<int:id>/ DELETE collections/<name>/items/<int:id>/
        """,
    ),
    limit(
        gettext_noop("flags"),
        30,
        pages="flag",
        api="""
        POST functions/<name>/flag/ POST implementations/<int:id>/flag/
        POST tests/<int:id>/flag/ POST comments/<int:id>/flag/ POST people/<username>/flag/
        """,
    ),
    limit(
        gettext_noop("notifications and watches"),
        300,
        pages="watch watch-person read-notifications",
        api="POST notifications/read/ PUT watches/<name>/ PUT people/<username>/watch/",
    ),
    limit(
        gettext_noop("registered projects"),
        30,
        pages="canaries canary remove-canary",
        api="POST canaries/ PUT canaries/<int:id>/ DELETE canaries/<int:id>/",
    ),
    limit(
        gettext_noop("changed profiles"), 30, TEN_MINUTES, pages="edit-profile", api="PUT profile/"
    ),
    limit(
        gettext_noop("mail settings"),
        30,
        TEN_MINUTES,
        pages="digest confirm-digest unsubscribe-digest",
        api="PUT notifications/digest/",
    ),
    limit(
        gettext_noop("acts of staff"),
        300,
        pages="resolve-flag suspensions lift-suspension agent-labels remove-agent-label quotas"
        " clear-profile admin:* django_rq:*",
        api="""
        POST staff/flags/<int:id>/resolve/ PUT accounts/<username>/suspension/
        PUT accounts/<username>/quotas/<resource>/
        DELETE accounts/<username>/suspension/ POST people/<username>/clear/
        PUT accounts/<username>/agent-label/ DELETE accounts/<username>/agent-label/
        """,
    ),
)
# The default for actions that are missing above.
OTHER = limit(gettext_noop("other writes"), 100)
# URL names that are not counted, with the reason.
EXEMPT = {
    **dict.fromkeys(("account_logout", "admin:logout"), "signing out must always work"),
    "language": "a visitor must be able to read what the site says",
}

# Second limits, counted by use cases.
COMMENTS = Rate("comments-written", tries=60, seconds=TEN_MINUTES)
RERUNS = Rate("reruns", tries=60, seconds=HOUR)
PREVIEWS = Rate("previews-made", tries=60, seconds=HOUR)
EXPORTS = Rate("exports", tries=120, seconds=TEN_MINUTES)
ACCOUNT_EXPORTS = Rate("account-exports", tries=5, seconds=HOUR)
CONFIRMATIONS = Rate("confirmations", tries=5, seconds=HOUR)
ACCOUNT_MAILS = Rate("account-mails", tries=5, seconds=HOUR)
SECOND = {
    "comments and replies written, by a user": COMMENTS,
    "runs repeated, by a user": RERUNS,
    "previews, by a user": PREVIEWS,
    "functions downloaded, by a user, or by an address where nobody is signed in": EXPORTS,
    "exports of an account, by a user": ACCOUNT_EXPORTS,
    "addresses asked to confirm mail, by a user": CONFIRMATIONS,
    "mails to one address to confirm it or to reset a password": ACCOUNT_MAILS,
}

_BY_PAGE = {page: one for one in LIMITS for page in one.pages}
_BY_API = {call: one for one in LIMITS for call in one.api}


def limit_of_page(name: str) -> Limit | None:
    """Return the limit of writing to a page, by its URL name; None if it is exempt."""
    if name in EXEMPT:
        return None
    return _BY_PAGE.get(name) or _BY_PAGE.get(f"{name.rpartition(':')[0]}:*") or OTHER


def limit_of_call(method: str, route: str) -> Limit:
    """Return the limit of writing to the API, by method and path below the version."""
    return _BY_API.get(f"{method} {route}", OTHER)
