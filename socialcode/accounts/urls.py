"""URLs of accounts: our pages, and those of django-allauth that we offer, by its names."""

from allauth.account import views as allauth
from django.urls import path
from django.views.decorators.http import require_POST

from socialcode.accounts import views
from socialcode.accounts.agents import views as agents
from socialcode.accounts.personal_data import views as personal_data

urlpatterns = [
    path("signup/", views.SignUp.as_view(), name="account_signup"),
    path("login/", views.SignIn.as_view(), name="account_login"),
    path("logout/", require_POST(allauth.LogoutView.as_view()), name="account_logout"),
    path("email/", allauth.EmailView.as_view(), name="account_email"),
    path(
        "email/confirm/<str:key>/",
        allauth.ConfirmEmailView.as_view(),
        name="account_confirm_email",
    ),
    path(
        "email/sent/",
        allauth.EmailVerificationSentView.as_view(),
        name="account_email_verification_sent",
    ),
    path("password/change/", views.PasswordChange.as_view(), name="account_change_password"),
    path("password/set/", allauth.PasswordSetView.as_view(), name="account_set_password"),
    path("password/reset/", allauth.PasswordResetView.as_view(), name="account_reset_password"),
    path(
        "password/reset/sent/",
        allauth.PasswordResetDoneView.as_view(),
        name="account_reset_password_done",
    ),
    path(
        "password/reset/done/",
        allauth.PasswordResetFromKeyDoneView.as_view(),
        name="account_reset_password_from_key_done",
    ),
    path(
        "password/reset/<str:uidb36>/<str:key>/",
        allauth.PasswordResetFromKeyView.as_view(),
        name="account_reset_password_from_key",
    ),
    path("reauthenticate/", views.PasswordAgain.as_view(), name="account_reauthenticate"),
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/<int:token_id>/revoke/", views.revoke, name="revoke-token"),
    path("data/", personal_data.show_account_data, name="account-data"),
    path("data/export/", personal_data.export, name="export-account"),
    path("delete/", personal_data.delete, name="delete-account"),
    path("agents/", agents.agents, name="agents"),
    path("agents/<str:username>/token/", agents.renew, name="renew-agent"),
    path("agents/<str:username>/retire/", agents.retire, name="retire-agent"),
]
