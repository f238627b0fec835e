"""URLs of the pages of staff; Django's admin adds others below `staff/`."""

from django.urls import path

from socialcode.staff import views

urlpatterns = [
    path("", views.home, name="staff"),
    path("suspended/", views.accounts, name="suspensions"),
    path("suspended/<str:username>/lift/", views.lift, name="lift-suspension"),
    path("agents/", views.agent_labels, name="agent-labels"),
    path("agents/<str:username>/remove/", views.remove_agent_label, name="remove-agent-label"),
]
