"""URLs of accounts."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from socialcode.accounts import views
from socialcode.accounts.agents import views as agents

urlpatterns = [
    path("signup/", views.SignUp.as_view(), name="signup"),
    path("login/", views.SignIn.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/<int:token_id>/revoke/", views.revoke, name="revoke-token"),
    path("agents/", agents.agents, name="agents"),
    path("agents/<str:username>/token/", agents.renew, name="renew-agent"),
    path("agents/<str:username>/retire/", agents.retire, name="retire-agent"),
]
