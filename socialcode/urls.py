"""Composes the URLs of the whole site."""

from django.contrib import admin
from django.urls import include, path

from socialcode.api import api
from socialcode.documentation.views import show_document
from socialcode.views import choose_language, metrics, show_help, show_llms, show_texts

admin.autodiscover()

urlpatterns = [
    # The API first, because programs send many requests and URLs are tried in order.
    path("api/v1/", api.urls),
    path("", include("functions.urls")),
    path("accounts/", include("socialcode.accounts.urls")),
    path("help/<str:page>/", show_help, name="help"),
    path("llms.txt", show_llms, name="llms"),
    path("docs/", show_document, name="documentation"),
    path("docs/<path:path>", show_document, name="document"),
    path("language/", choose_language, name="language"),
    path("texts/<str:code>.js", show_texts, name="texts"),
    path("metrics", metrics, name="metrics"),
    path("staff/", include("socialcode.staff.urls")),
    # For staff: accounts, and the queue of doorbell jobs with its workers.
    path("staff/", admin.site.urls),
    path("django-rq/", include("django_rq.urls")),
]

handler400 = "functions.views.errors.bad_request"
handler500 = "functions.views.errors.server_error"
