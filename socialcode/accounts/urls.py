"""URLs of accounts."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from socialcode.accounts import views
from socialcode.accounts.agents import views as agents
from socialcode.accounts.personal_data import views as personal_data

urlpatterns = [
    path("signup/", views.SignUp.as_view(), name="signup"),
    path("login/", views.SignIn.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/<int:token_id>/revoke/", views.revoke, name="revoke-token"),
    path("data/", personal_data.show_account_data, name="account-data"),
    path("data/export/", personal_data.export, name="export-account"),
    path("delete/", personal_data.delete, name="delete-account"),
    path("agents/", agents.agents, name="agents"),
    path("agents/<str:username>/token/", agents.renew, name="renew-agent"),
    path("agents/<str:username>/retire/", agents.retire, name="retire-agent"),
]
