"""URLs of accounts: our pages, and those of django-allauth that we offer, by its names."""

from allauth.account import views as allauth
from allauth.mfa.base import views as mfa
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as webauthn
from allauth.socialaccount import views as social
from django.urls import path, reverse_lazy
from django.views.decorators.http import require_POST

from socialcode.accounts import views
from socialcode.accounts.agents import views as agents
from socialcode.accounts.factors import views as factors
from socialcode.accounts.personal_data import views as personal_data
from socialcode.accounts.providers import views as oidc
from socialcode.accounts.session_list import views as sessions
from socialcode.accounts.username_change import views as username_change

urlpatterns = [
    path("signup/", views.SignUp.as_view(), name="account_signup"),
    path("login/", views.SignIn.as_view(), name="account_login"),
    path("logout/", require_POST(allauth.LogoutView.as_view()), name="account_logout"),
    path("name/", username_change.change_name, name="account-name"),
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
    path("reauthenticate/provider/", oidc.ask_again, name="ask-again"),
    path("reauthenticate/provider/done/", oidc.shown_up_again, name="shown-up-again"),
    path("oidc/<slug:provider_id>/", oidc.start, name="oidc"),
    path("oidc/<slug:provider_id>/callback/", oidc.callback, name="openid_connect_callback"),
    path("providers/", oidc.Connections.as_view(), name="socialaccount_connections"),
    path("providers/signup/", oidc.ProviderSignUp.as_view(), name="socialaccount_signup"),
    path(
        "providers/cancelled/",
        social.LoginCancelledView.as_view(),
        name="socialaccount_login_cancelled",
    ),
    path("factors/", mfa.IndexView.as_view(), name="mfa_index"),
    path("factors/sign-in/", factors.SecondFactor.as_view(), name="mfa_authenticate"),
    path("factors/again/", factors.CodeAgain.as_view(), name="mfa_reauthenticate"),
    path("factors/app/", totp.ActivateTOTPView.as_view(), name="mfa_activate_totp"),
    path("factors/app/remove/", totp.DeactivateTOTPView.as_view(), name="mfa_deactivate_totp"),
    path("factors/codes/", codes.ViewRecoveryCodesView.as_view(), name="mfa_view_recovery_codes"),
    path(
        "factors/codes/new/",
        codes.GenerateRecoveryCodesView.as_view(),
        name="mfa_generate_recovery_codes",
    ),
    path("factors/passkeys/new/", factors.NewPasskey.as_view(), name="mfa_add_webauthn"),
    path("factors/passkeys/sign-in/", factors.PasskeySignIn.as_view(), name="mfa_login_webauthn"),
    path(
        "factors/passkeys/again/",
        factors.PasskeyAgain.as_view(),
        name="mfa_reauthenticate_webauthn",
    ),
    path(
        "factors/passkeys/<int:pk>/remove/",
        webauthn.RemoveWebAuthnView.as_view(success_url=reverse_lazy("mfa_index")),
        name="mfa_remove_webauthn",
    ),
    path("sessions/", sessions.show_sessions, name="sessions"),
    path("sessions/end/", sessions.end, name="end-sessions"),
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/<int:token_id>/revoke/", views.revoke, name="revoke-token"),
    path("data/", personal_data.show_account_data, name="account-data"),
    path("data/export/", personal_data.export, name="export-account"),
    path("delete/", personal_data.delete, name="delete-account"),
    path("agents/", agents.agents, name="agents"),
    path("agents/label/", agents.label, name="label-account"),
    path("agents/<str:username>/token/", agents.renew, name="renew-agent"),
    path("agents/<str:username>/retire/", agents.retire, name="retire-agent"),
]
