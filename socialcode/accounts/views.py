"""Pages to sign up, in and out, and to manage tokens."""

from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView, RedirectURLMixin
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST
from django.views.generic import FormView

from functions.views.intents import FIELD, purpose_of, resume
from socialcode.accounts.forms import TOO_MANY_GUESSES, SignInForm, SignUpForm, TokenForm
from socialcode.accounts.languages import choose_language, recall_language
from socialcode.accounts.models import ApiToken
from socialcode.accounts.tokens import create_token, revoke_token


class SignIn(LoginView):
    """Signs in by name and password, and redirects to `next` if that is on this site."""

    template_name = "accounts/login.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def form_valid(self, form: Any) -> HttpResponse:
        signed_in = super().form_valid(form)
        answer = resume(self.request, self.request.POST.get(FIELD, "")) or signed_in
        recall_language(answer, form.get_user())
        return answer

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return {**super().get_context_data(**kwargs), **_intent(self.request)}

    def form_invalid(self, form: Any) -> HttpResponse:
        response = super().form_invalid(form)
        if form.has_error(NON_FIELD_ERRORS, TOO_MANY_GUESSES):
            response.status_code = HTTPStatus.TOO_MANY_REQUESTS
            response["Retry-After"] = str(form.retry_after_seconds)
        return response


@method_decorator([sensitive_post_parameters(), never_cache], name="dispatch")
class SignUp(RedirectURLMixin, FormView):  # type: ignore[type-arg]  # generic to mypy alone
    """Creates an account, signs in, and redirects to `next` if that is on this site."""

    template_name = "accounts/signup.html"
    form_class = SignUpForm
    next_page = "/"

    def form_valid(self, form: SignUpForm) -> HttpResponse:
        user = form.create_account()
        if user is None:
            return self.form_invalid(form)
        if get_language() != settings.LANGUAGE_CODE:
            choose_language(user, get_language() or "")
        login(self.request, user, backend="django.contrib.auth.backends.ModelBackend")
        asked = resume(self.request, self.request.POST.get(FIELD, ""))
        return asked or redirect(self.get_success_url())

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        own = {self.redirect_field_name: self.get_redirect_url()}
        return {**context, **own, **_intent(self.request)}


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """List the user's tokens; a POST creates one, whose text is only shown once."""
    text = ""
    form = TokenForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        _, text = create_token(user=_user(request), name=form.cleaned_data["name"])
        form = TokenForm()
    own = ApiToken.objects.filter(user=_user(request)).order_by("-id")
    context = {"form": form, "tokens": own, "new_token": text}
    return render(request, "accounts/tokens.html", context)


@login_required
@require_POST
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    """Revoke one of the user's tokens."""
    if not revoke_token(user=_user(request), token_id=token_id):
        raise Http404
    return redirect("tokens")


def _intent(request: HttpRequest) -> dict[str, str]:
    """Return the token and the purpose that the visitor signs in for, for templates."""
    token = request.POST.get(FIELD) or request.GET.get(FIELD, "")
    purpose = purpose_of(request, token)
    return {FIELD: token if purpose else "", "purpose": purpose}


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101 - ensured by login_required
    return request.user
