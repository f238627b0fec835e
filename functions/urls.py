"""URLs of the product's pages."""

from django.urls import URLPattern, URLResolver, path, register_converter
from django.urls.converters import StringConverter

from functions.views import (
    acceptance,
    applications,
    browse,
    canaries,
    collections,
    comments,
    comparison,
    digests,
    document_search,
    document_templates,
    document_views,
    documents,
    draft_check,
    drafts,
    embeds,
    exports,
    feeds,
    flags,
    functions,
    help_wanted,
    history,
    imports,
    items,
    notifications,
    owner_actions,
    package_index,
    package_locks,
    page_visits,
    pages,
    people,
    pictures,
    previews,
    profiles,
    resource_use,
    results,
    runs,
    staff,
    summaries,
    votes,
    webhooks,
    works,
)
from functions.views.calls import try_it
from functions.views.cell_markup import SHORT_KEY
from functions.views.graph import show_graph


class NounConverter:
    """The two nouns of works."""

    regex = "implementation|test"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class VotableConverter(NounConverter):
    """The nouns of models that can be voted on."""

    regex = "implementation|test|comment"


class KeyConverter:
    """A program's key in hexadecimal."""

    regex = "[0-9a-f]{64}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class ShortKeyConverter(KeyConverter):
    """The beginning of a program's key, by which the matrix links its result."""

    regex = f"[0-9a-f]{{{SHORT_KEY}}}"


register_converter(ShortKeyConverter, "short_key")
register_converter(NounConverter, "noun")
register_converter(VotableConverter, "votable")
register_converter(KeyConverter, "key")


class RestConverter(StringConverter):
    """The rest of an address, which may be empty."""

    regex = ".*"


register_converter(RestConverter, "rest")

urlpatterns: list[URLPattern | URLResolver] = [
    path("p/client.js", pages.show_client, name="page-client"),
    path("p/~<str:token>/<rest:path>", pages.show_preview, name="page-preview"),
    path("p/@<str:token>/<rest:path>", pages.show_visit, name="page-visit"),
    path("p/<str:name>/<rest:path>", pages.show_page, name="page"),
    path("", browse.browse_functions, name="browse"),
    path("pulse/", browse.show_pulse, name="pulse"),
    path("wanted/", browse.list_wanted, name="wanted"),
    path("help-wanted/", help_wanted.list_help_wanted, name="help-wanted"),
    path("people/<str:username>/", people.show_person, name="person"),
    path("people/<str:username>/feed.atom", feeds.show_person_feed, name="person-feed"),
    path(
        "people/<str:username>/dependencies.atom",
        feeds.show_dependencies_feed,
        name="dependencies-feed",
    ),
    path("people/<str:username>/clear/", profiles.clear, name="clear-profile"),
    path("people/<str:username>/watch/", notifications.watch_somebody, name="watch-person"),
    path("votes/", votes.list_votes, name="votes"),
    path("canaries/", canaries.list_canaries, name="canaries"),
    path("canaries/<int:pk>/", canaries.show_canary, name="canary"),
    path("canaries/<int:pk>/remove/", canaries.remove_canary, name="remove-canary"),
    path("profile/", profiles.edit_profile, name="edit-profile"),
    path("functions/new/", functions.new_function, name="new-function"),
    path("functions/<str:name>/", functions.show_function, name="function"),
    path("applications/", applications.list_applications, name="applications"),
    path("functions/<str:name>/application/", applications.show_application, name="application"),
    path("functions/<str:name>/open/", page_visits.open_page, name="open-page"),
    path("functions/<str:name>/cards/", functions.show_cards, name="cards"),
    path("functions/<str:name>/summary/", summaries.show_summary, name="summary"),
    path("functions/<str:name>/clone/", functions.clone, name="clone-function"),
    path("functions/<str:name>/edit/", functions.edit_function, name="edit-function"),
    path("functions/<str:name>/try/", try_it, name="try-function"),
    path("functions/<str:name>/run-again/", runs.run_function, name="run-function-again"),
    path("functions/<str:name>/manage/", owner_actions.manage_function, name="manage-function"),
    path("functions/<str:name>/offer/", owner_actions.answer_offer, name="answer-offer"),
    path("functions/<str:name>/log/", owner_actions.show_log, name="function-log"),
    path("flags/", flags.list_flags, name="flags"),
    path("flags/<str:kind>/<int:pk>/", flags.flag, name="flag"),
    path("staff/audit/", staff.show_audit, name="audit"),
    path("staff/flags/", staff.list_queue, name="flag-queue"),
    path("staff/flags/<int:pk>/", staff.resolve, name="resolve-flag"),
    path("functions/<str:name>/delete/", functions.delete, name="delete-function"),
    path("functions/<str:name>/badge.svg", embeds.show_badge, name="badge"),
    path("functions/<str:name>/picture.png", pictures.show_picture, name="picture"),
    path("functions/<str:name>/embed/", embeds.show_embed, name="embed"),
    path("functions/<str:name>/feed.atom", feeds.show_function_feed, name="function-feed"),
    path("functions/<str:name>/export/", exports.show_export, name="export"),
    path("functions/<str:name>/export/<str:filename>", exports.download, name="download"),
    path(
        "functions/<str:name>/implementations/new/",
        drafts.new_draft,
        {"noun": "implementation"},
        name="new-implementation",
    ),
    path("functions/<str:name>/tests/new/", drafts.new_draft, {"noun": "test"}, name="new-test"),
    path("functions/<str:name>/discussion/", comments.show_discussion, name="discussion"),
    path("comments/<int:pk>/", comments.show_comment, name="comment"),
    path("comments/<int:pk>/edit/", comments.edit, name="edit-comment"),
    path("comments/<int:pk>/delete/", comments.delete, name="delete-comment"),
    path("comments/<int:pk>/hide/", comments.hide, name="hide-comment"),
    path("comments/<int:pk>/show/", comments.show, name="show-comment"),
    path("collections/", collections.show_collections, name="collections"),
    path("collections/new/", collections.new_collection, name="new-collection"),
    path("collections/<str:name>/", collections.show_collection, name="collection"),
    path("collections/<str:name>/settings/", collections.change, name="change-collection"),
    path("collections/<str:name>/delete/", collections.delete, name="delete-collection"),
    path("collections/<str:name>/items/new/", items.new_item, name="new-item"),
    path("collections/<str:name>/items/<int:pk>/", items.show_item, name="collection-item"),
    path("collections/<str:name>/items/<int:pk>/delete/", items.remove_item, name="delete-item"),
    path("import/", imports.import_code, name="import"),
    path("functions/<str:name>/graph/", show_graph, name="graph"),
    path("functions/<str:name>/why/", history.show_why, name="why"),
    path("functions/<str:name>/revisions/", history.list_revisions, name="revisions"),
    path("functions/<str:name>/revisions/<int:pk>/", history.show_revision, name="revision"),
    path("functions/<str:name>/revisions/<int:pk>/restore/", history.restore, name="restore"),
    path("functions/<str:name>/<noun:noun>s/compare/", comparison.choose, name="compare"),
    path("<noun:noun>s/<int:pk>/diff/", comparison.show_difference, name="difference"),
    path("functions/<str:name>/versions/", documents.list_versions, name="document-versions"),
    path(
        "functions/<str:name>/versions/<int:number>/",
        documents.show_version,
        name="document-version",
    ),
    path(
        "functions/<str:name>/versions/<int:number>/restore/",
        documents.restore,
        name="restore-document",
    ),
    path("functions/<str:name>/watch/", notifications.watch, name="watch"),
    path("notifications/", notifications.list_notifications, name="notifications"),
    path("notifications/read/", notifications.read_notifications, name="read-notifications"),
    path("notifications/watched/", notifications.list_watched, name="watched"),
    path("notifications/mail/", digests.digest_settings, name="digest"),
    path("notifications/mail/confirm/<str:token>/", digests.confirm_digest, name="confirm-digest"),
    path(
        "notifications/mail/unsubscribe/<str:token>/",
        digests.unsubscribe_digest,
        name="unsubscribe-digest",
    ),
    path("document-templates/", document_templates.list_all, name="document-templates"),
    path("document-templates/new/", document_templates.new, name="new-document-template"),
    path("document-templates/<str:name>/", document_templates.show, name="document-template"),
    path(
        "document-templates/<str:name>/delete/",
        document_templates.delete,
        name="delete-document-template",
    ),
    path("views/", document_views.list_views, name="document-views"),
    path("views/new/", document_views.new_view, name="new-document-view"),
    path("views/<str:name>/", document_views.show_view, name="document-view"),
    path("views/<str:name>/delete/", document_views.delete, name="delete-document-view"),
    path("webhooks/", webhooks.list_webhooks, name="webhooks"),
    path("webhooks/<int:pk>/", webhooks.show_webhook, name="webhook"),
    path("webhooks/<int:pk>/switch/", webhooks.switch, name="switch-webhook"),
    path("webhooks/<int:pk>/secret/", webhooks.replace_secret, name="webhook-secret"),
    path("webhooks/<int:pk>/ping/", webhooks.ping, name="ping-webhook"),
    path("webhooks/<int:pk>/delete/", webhooks.delete, name="delete-webhook"),
    path(
        "webhooks/<int:pk>/deliveries/<int:delivery>/resend/",
        webhooks.resend,
        name="resend-delivery",
    ),
    path("use/", resource_use.show_use, name="use"),
    path("staff/quotas/", resource_use.quotas, name="quotas"),
    path("drafts/", drafts.list_drafts, name="drafts"),
    path("drafts/<noun:noun>/<int:pk>/", drafts.edit_draft, name="draft"),
    path("drafts/<noun:noun>/<int:pk>/run/", drafts.run, name="run-draft"),
    path("drafts/<noun:noun>/<int:pk>/check/", draft_check.check, name="check-draft"),
    path("drafts/<noun:noun>/<int:pk>/format/", draft_check.format_draft, name="format-draft"),
    path("drafts/<noun:noun>/<int:pk>/publish/", drafts.publish_draft, name="publish-draft"),
    path("drafts/<noun:noun>/<int:pk>/discard/", drafts.discard, name="discard-draft"),
    path("<votable:noun>s/<int:pk>/vote/", works.vote, name="vote"),
    path("<noun:noun>s/<int:pk>/copy/", works.copy_work, name="copy"),
    path("<noun:noun>s/<int:pk>/withdraw/", works.withdraw_work, name="withdraw"),
    path("<noun:noun>s/<int:pk>/judge/", works.judge, name="judge"),
    path(
        "functions/<str:name>/acceptance-tests/new/",
        acceptance.new_acceptance_test,
        name="new-acceptance-test",
    ),
    path("acceptance-tests/<int:pk>/", acceptance.show_acceptance_test, name="acceptance-test"),
    path(
        "acceptance-tests/<int:pk>/edit/",
        acceptance.edit_acceptance_test,
        name="edit-acceptance-test",
    ),
    path("acceptance-tests/<int:pk>/run/", acceptance.run, name="run-acceptance-test"),
    path("acceptance-tests/<int:pk>/publish/", acceptance.publish, name="publish-acceptance-test"),
    path(
        "acceptance-tests/<int:pk>/withdraw/", acceptance.withdraw, name="withdraw-acceptance-test"
    ),
    path("acceptance-tests/<int:pk>/discard/", acceptance.discard, name="discard-acceptance-test"),
    path("drafts/<noun:noun>/<int:pk>/preview/", previews.preview_draft, name="preview-draft"),
    path(
        "<noun:noun>s/<int:pk>/withdraw/preview/",
        previews.preview_withdraw,
        name="preview-withdraw",
    ),
    path("<noun:noun>s/<int:pk>/judge/preview/", previews.preview_judge, name="preview-judge"),
    path("functions/<str:name>/delete/preview/", previews.preview_delete, name="preview-delete"),
    path("previews/<int:pk>/", previews.show_preview, name="preview"),
    path("previews/<int:pk>/tell/", previews.tell, name="tell-preview"),
    path("documents/", document_search.find_documents, name="documents"),
    path("runs/", runs.list_runs, name="runs"),
    path("runs/<int:pk>/", runs.show_run, name="run"),
    path("runs/<int:pk>/cancel/", runs.cancel, name="cancel-run"),
    path("runs/<int:pk>/retry/", runs.retry, name="retry-run"),
    path("runs/<int:pk>/run-again/", runs.run_again, name="run-again"),
    path("results/<key:key>/", results.show_result, name="result"),
    path("simple/", package_index.list_projects, name="package-index"),
    path(
        "simple/files/<str:filename>.metadata",
        package_index.download_metadata,
        name="package-metadata",
    ),
    path("simple/files/<str:filename>", package_index.download_file, name="package-file"),
    path(
        "simple/lock/pylock.toml",
        package_locks.show_lock,
        {"filename": "pylock.toml"},
        name="pylock",
    ),
    path(
        "simple/lock/requirements.txt",
        package_locks.show_lock,
        {"filename": "requirements.txt"},
        name="locked-requirements",
    ),
    path("simple/<str:project>/", package_index.show_project, name="package-index-project"),
    path("results/<short_key:key>/", results.show_short, name="short-result"),
    path("results/<key:key>/explanation/", results.show_explanation, name="explanation"),
    path("results/<short_key:key>/explanation/", results.show_short_explanation),
    path("results/<key:key>/run-again/", comparison.run_record_again, name="run-record-again"),
    path("results/<key:key>/compare/<key:other>/", comparison.show_records, name="compare-results"),
]
