"""Addresses of owners' and staff's pages about the product, and of flags."""

from django.urls import path

from functions.views import flags, manage, staff

urlpatterns = [
    path("functions/<str:name>/manage/", manage.manage_function, name="manage-function"),
    path("functions/<str:name>/offer/", manage.answer_offer, name="answer-offer"),
    path("functions/<str:name>/log/", manage.show_log, name="function-log"),
    path("flags/", flags.list_flags, name="flags"),
    path("flags/<str:kind>/<int:pk>/", flags.flag, name="flag"),
    path("staff/audit/", staff.show_audit, name="audit"),
    path("staff/flags/", staff.list_queue, name="flag-queue"),
    path("staff/flags/<int:pk>/", staff.resolve, name="resolve-flag"),
]
