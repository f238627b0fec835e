"""URLs of the pages of staff; Django's admin adds others below `staff/`."""

from django.urls import path

from socialcode.staff import views

urlpatterns = [
    path("", views.home, name="staff"),
    path("suspended/", views.accounts, name="suspensions"),
    path("suspended/<str:username>/lift/", views.lift, name="lift-suspension"),
]
