"""The REST API, version 1, composed of the routers of its parts."""

from typing import Any

from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema

from functions import api as product
from functions.api.bodies import StrictParser
from functions.api.docs import Docs
from functions.api.errors import register_handlers
from functions.api.examples import name_examples
from functions.api.idempotency import name_keys
from functions.api.problems import name_content_type
from functions.api.scopes import name_scopes
from functions.api.sparse_fields import SparseRenderer, name_fields
from socialcode.accounts.agents.api import labels as agent_labels
from socialcode.accounts.agents.api import router as agents
from socialcode.accounts.api import accounts, tokens
from socialcode.accounts.personal_data.api import router as own_account


class Api(NinjaAPI):
    """Adds the content type of problems to the schema, and caches it: making it takes over 1 s."""

    _schema: OpenAPISchema | None = None

    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        if self._schema is None:
            schema = super().get_openapi_schema(**options)
            name_content_type(schema)
            name_scopes(schema)
            name_keys(schema)
            name_fields(schema)
            name_examples(schema)
            self._schema = schema
        return self._schema


api: Api = Api(
    title="Social Code",
    version="1",
    description="Everything that the site's pages do, for programs.",
    parser=StrictParser(),
    docs=Docs(),
    renderer=SparseRenderer(lambda: api.get_openapi_schema(path_params={})),
)
register_handlers(api)
api.add_router("/tokens/", tokens)
api.add_router("/functions/", product.functions)
api.add_router("/functions/", product.function_works)
api.add_router("/drafts/", product.drafts)
api.add_router("/functions/", product.exports)
api.add_router("/functions/", product.releases)
api.add_router("/functions/", product.graphs)
api.add_router("/functions/", product.applications)
api.add_router("/functions/", product.calls)
api.add_router("/functions/", product.checks)
api.add_router("/implementations/", product.implementations)
api.add_router("/tests/", product.tests)
api.add_router("/acceptance-tests/", product.acceptance_tests)
api.add_router("/previews/", product.previews)
api.add_router("", product.asking_for_previews)
api.add_router("/", product.comments)
api.add_router("/imports/", product.imports)
api.add_router("/documents/", product.documents)
api.add_router("/document-templates/", product.document_templates)
api.add_router("/batches/", product.batches)
api.add_router("/tasks/", product.tasks)
api.add_router("/results/", product.results)
api.add_router("/topics/", product.topics)
api.add_router("/functions/", product.histories.functions)
api.add_router("/implementations/", product.histories.implementations)
api.add_router("/tests/", product.histories.tests)
api.add_router("/results/", product.histories.results)
api.add_router("", product.stewardship)
api.add_router("", product.moderation)
api.add_router("", accounts)
api.add_router("/agents/", agents)
api.add_router("", agent_labels)
api.add_router("/account/", own_account)
api.add_router("/notifications/", product.notifications)
api.add_router("/watches/", product.watches)
api.add_router("/webhooks/", product.webhooks)
api.add_router("/people/", product.people)
api.add_router("/profile/", product.own_profile)
api.add_router("/watched-people/", product.watched_people)
api.add_router("/votes/", product.votes)
api.add_router("/canaries/", product.canaries)
api.add_router("", product.use)
api.add_router("/collections/", product.collections)
api.add_router("/collections/", product.items)
api.add_router("/wanted/", product.wanted)
api.add_router("/help-wanted/", product.help_wanted)
api.add_router("/views/", product.document_views)
