"""Endpoints of webhooks."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema, Status
from pydantic import Field, StrictBool

from functions.api.authentication import SOMEBODY
from functions.api.bodies import Cursor, Limit, Text
from functions.api.preconditions import expected_parts, tagged
from functions.api.problems import refusals
from functions.api.schemas import Answer, OrNull, Username
from functions.models import Webhook, WebhookDelivery
from functions.permissions import require_account
from functions.read_models.webhooks import DeliveryPage, delivery_page, subject_named
from functions.webhooks import commands

router = Router(tags=["webhooks"], auth=SOMEBODY)
CHANGED = refusals(400, 401, 403, 404, 409, 412, 413, 422, 429)


class WebhookShown(Answer):
    """An address of yours that is sent events."""

    id: int
    url: str
    subject: str = Field(description="function, person, dependencies or canary")
    function: OrNull = Field(description="the function's present name")
    person: Username | None = Field(description="the person's present name")
    events: list[str]
    active: bool
    switched_off: OrNull = Field(description="owner, gone or failing; null while it is active")
    failing_since: datetime | None = Field(
        description="the first failure after the last success; null if the last one succeeded"
    )
    created_at: datetime


class WebhookMade(WebhookShown):
    """A webhook with its secret, which is shown only once."""

    secret: str


class WebhookList(Answer):
    """All of your webhooks, the latest first."""

    items: list[WebhookShown]


class DeliveryShown(Answer):
    """An event and what came of sending it."""

    id: int
    message: str = Field(description="the `webhook-id` of each attempt")
    event: str
    state: str = Field(description="pending, delivered or failed")
    attempts: int
    status: int | None = Field(description="of the last answer; null without one")
    answer: str = Field(description="how the body of the last answer began")
    error: str = Field(description="why there was no answer; empty if there was one")
    duration_ms: int | None
    payload: dict[str, Any]
    created_at: datetime
    due_at: datetime = Field(description="of the next attempt, while it is pending")
    ended_at: datetime | None

    @classmethod
    def of(cls, delivery: WebhookDelivery) -> "DeliveryShown":
        names = cls.model_fields.keys() - {"message"}
        shown = {name: getattr(delivery, name) for name in names}
        return cls(message=str(delivery.uuid), **shown)


class DeliveryList(Answer):
    """A page of deliveries, newest first; `next` is the cursor of the next page."""

    items: list[DeliveryShown]
    next: OrNull


class NewWebhook(Schema):
    """A new webhook: where to, of what, and which events; without `events`, all."""

    url: Text
    subject: Text = Field(description="function, person or dependencies")
    function: Text = Field("", description="of the subject `function`: its name")
    person: Text = Field("", description="of the subject `person`: the user name")
    events: list[Text] = Field([], max_length=20)


class WebhookChange(Schema):
    """What to change of a webhook; what is left out stays."""

    url: Text | None = None
    events: list[Text] | None = Field(None, max_length=20)
    active: StrictBool | None = None


class DeliveryQuery(Schema):
    """A page of deliveries."""

    cursor: Cursor = ""
    limit: Limit = 50


@router.get("/", response={200: WebhookList, **refusals(401)}, summary="List your webhooks")
def list_webhooks(request: HttpRequest) -> dict[str, list[Webhook]]:
    """Return your webhooks, the latest first; there are at most fifty, and canaries' own."""
    return {"items": list(commands.webhooks_of(require_account(request.user)))}


@router.post(
    "/",
    response={201: WebhookMade, **refusals(400, 401, 403, 409, 413, 422, 429)},
    summary="Make a webhook",
)
def make_webhook(request: HttpRequest, payload: NewWebhook) -> Status[WebhookMade]:
    """Let events be sent to an https address; the answer has the secret that signs them."""
    function, person = subject_named(payload.function, payload.person)
    made = commands.create_webhook(
        actor=request.user,
        url=payload.url,
        subject=payload.subject,
        function=function,
        person=person,
        events=payload.events,
    )
    return Status(201, WebhookMade.model_validate(made))


@router.get(
    "/{int:id}/", response={200: WebhookShown, **refusals(401, 404)}, summary="Read a webhook"
)
def read_webhook(request: HttpRequest, response: HttpResponse, id: int) -> Any:
    """Return a webhook of yours, without its secret."""
    return _tagged(request, response, commands.webhook_of(request.user, id))


@router.patch("/{int:id}/", response={200: WebhookShown, **CHANGED}, summary="Change a webhook")
def change_webhook(
    request: HttpRequest, response: HttpResponse, id: int, payload: WebhookChange
) -> Any:
    """Change the address or the events, or switch it off or on; `If-Match` is optional."""
    changed = commands.change_webhook(
        actor=request.user,
        webhook_id=id,
        expected=expected_parts(request, id),
        **payload.model_dump(),
    )
    return _tagged(request, response, changed)


@router.delete(
    "/{int:id}/",
    response={204: None, **refusals(401, 403, 404, 409, 412, 429)},
    summary="Delete a webhook",
)
def delete_webhook(request: HttpRequest, id: int) -> Status[None]:
    """Delete a webhook of yours with its deliveries."""
    commands.delete_webhook(actor=request.user, webhook_id=id, expected=expected_parts(request, id))
    return Status(204, None)


@router.post(
    "/{int:id}/secret/",
    response={200: WebhookMade, **refusals(401, 403, 404, 409, 412, 429)},
    summary="Replace a webhook's secret",
)
def rotate_secret(request: HttpRequest, id: int) -> WebhookMade:
    """Make a new secret; for a day, requests are signed with the former one too."""
    changed = commands.rotate_secret(
        actor=request.user, webhook_id=id, expected=expected_parts(request, id)
    )
    return WebhookMade.model_validate(changed)


@router.post(
    "/{int:id}/ping/",
    response={201: DeliveryShown, **refusals(401, 403, 404, 409, 429)},
    summary="Ping a webhook",
)
def ping(request: HttpRequest, id: int) -> Status[DeliveryShown]:
    """Send the event `ping`, to try the receiver; its delivery shows what came of it."""
    return Status(201, DeliveryShown.of(commands.ping(actor=request.user, webhook_id=id)))


@router.get(
    "/{int:id}/deliveries/",
    response={200: DeliveryList, **refusals(400, 401, 404)},
    summary="List deliveries of a webhook",
)
def list_deliveries(request: HttpRequest, id: int, query: Query[DeliveryQuery]) -> DeliveryList:
    """Return what was sent in the last thirty days, and with what answer."""
    webhook = commands.webhook_of(request.user, id)
    page: DeliveryPage = delivery_page(webhook, cursor=query.cursor, limit=query.limit)
    return DeliveryList(items=[DeliveryShown.of(row) for row in page.rows], next=page.next)


@router.post(
    "/{int:id}/deliveries/{int:delivery}/resend/",
    response={200: DeliveryShown, **refusals(401, 403, 404, 409, 429)},
    summary="Send a delivery again",
)
def resend(request: HttpRequest, id: int, delivery: int) -> DeliveryShown:
    """Send an event again, with the same id, or at once if it waits for its next attempt."""
    again = commands.resend(actor=request.user, webhook_id=id, delivery_id=delivery)
    return DeliveryShown.of(again)


def _tagged(request: HttpRequest, response: HttpResponse, webhook: Webhook) -> Any:
    shown = WebhookShown.model_validate(webhook)
    return tagged(request, response, shown, f'"{webhook.pk}-{webhook.digest}"')
