"""Pages of stored templates: the list, and one with an editor, a sample and its output."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from functions.document_templates.forms import NewTemplateForm, TemplateForm
from functions.document_templates.templates import (
    create_template,
    delete_template,
    replace_template,
)
from functions.errors import Refusal
from functions.json_data.mapping import parse_mapping
from functions.json_data.values import parse_json, pretty
from functions.models import DocumentTemplate
from functions.permissions import may_change_template
from functions.read_models.document_templates import list_templates, template_named
from functions.read_models.not_found import or_404
from functions.views.responses import action, signed_in


@require_safe
def list_all(request: HttpRequest) -> HttpResponse:
    """Show all templates by name."""
    page = list_templates(cursor=request.GET.get("cursor", ""))
    return render(request, "functions/document_templates.html", {"page": page})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Show the form, try what was typed, or create the template."""
    original = template_named(request.GET.get("from", ""))
    form = NewTemplateForm(request.POST or None, initial=NewTemplateForm.initial_of(original))
    if request.method != "POST" or not form.is_valid():
        return _page(request, form)
    try:
        if "try" in request.POST:
            return _page(request, form, output=_output(form))
        made = create_template(
            actor=signed_in(request),
            name=form.cleaned_data["name"],
            definition=form.typed_definition,
            description=form.cleaned_data["description"],
        )
    except Refusal as refusal:
        form.add_refusal(refusal)
        return _page(request, form, status=refusal.status)
    messages.success(request, _("%(name)s is stored.") % {"name": made.name})
    return redirect(made)


@require_http_methods(["GET", "HEAD", "POST"])
def show(request: HttpRequest, name: str) -> HttpResponse:
    """Show a template, try what was typed, or replace it."""
    template = or_404(template_named(name))
    form = TemplateForm(request.POST or None, initial=TemplateForm.initial_of(template))
    if request.method != "POST" or not form.is_valid():
        return _page(request, form, template)
    try:
        if "try" in request.POST:
            return _page(request, form, template, output=_output(form))
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        description = form.cleaned_data["description"]
        replace_template(
            actor=request.user,
            template=template,
            definition=form.typed_definition,
            description=description,
        )
    except Refusal as refusal:
        form.add_refusal(refusal)
        return _page(request, form, template, status=refusal.status)
    messages.success(request, _("%(name)s is stored.") % {"name": template.name})
    return redirect(template)


@action
def delete(request: HttpRequest, name: str) -> HttpResponse:
    """Delete a template."""
    template = or_404(template_named(name))
    delete_template(actor=request.user, template=template)
    messages.success(request, _("%(name)s is deleted.") % {"name": template.name})
    return redirect("document-templates")


def _output(form: TemplateForm) -> str:
    mapping = parse_mapping(form.typed_definition)
    return pretty(mapping.apply(parse_json(form.cleaned_data["value"], field="value")))


def _page(
    request: HttpRequest,
    form: TemplateForm,
    template: DocumentTemplate | None = None,
    *,
    output: str = "",
    status: int = 200,
) -> HttpResponse:
    context: dict[str, Any] = {
        "form": form,
        "template": template,
        "output": output,
        "may_change": template is None or may_change_template(request.user, template),
    }
    status = 422 if status == 200 and form.errors else status
    return render(request, "functions/document_template.html", context, status=status)
