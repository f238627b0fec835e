"""Pages to edit one's own profile, and for staff to clear an offensive one."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from functions.errors import Refusal
from functions.forms import ReasonForm
from functions.models import Profile
from functions.people.forms import ProfileForm
from functions.people.profiles import change_profile, clear_profile, clearance_of
from functions.read_models.not_found import or_404
from functions.read_models.person import person_named
from functions.views.responses import signed_in
from functions.views.staff import for_staff


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def edit_profile(request: HttpRequest) -> HttpResponse:
    """Show and change the user's own profile."""
    user = signed_in(request)
    profile = Profile.objects.filter(user=user).first() or Profile(user=user)
    initial = ProfileForm.initial_of(profile)
    form = ProfileForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            change_profile(actor=user, about=form.cleaned_data["about"], links=form.links)
            messages.success(request, _("Your profile is saved."))
            return redirect("person", user.get_username())
        except Refusal as refusal:
            form.add_refusal(refusal)
    context = {"form": form, "clearance": clearance_of(user)}
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "functions/profile.html", context, status=status)


@for_staff
@require_http_methods(["GET", "HEAD", "POST"])
def clear(request: HttpRequest, username: str) -> HttpResponse:
    """Clear a person's profile; a GET shows the form."""
    person = or_404(person_named(username))
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            clear_profile(actor=signed_in(request), person=person, **form.cleaned_data)
            messages.success(request, _("The profile is empty now."))
            return redirect("person", person.get_username())
        except Refusal as refusal:
            form.add_refusal(refusal)
    context = {
        "form": form,
        "title": _("Clear the profile of %(name)s") % {"name": person.get_username()},
        "lead": _("Their words and links are removed. They read the reason and can write anew."),
        "failed": _("The profile was not cleared."),
        "foot": "",
        "button": _("Clear the profile"),
        "back": reverse("person", args=[person.get_username()]),
    }
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "functions/function_form.html", context, status=status)
