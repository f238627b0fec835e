"""The REST interface, version 1: composes what the parts offer."""

from ninja import NinjaAPI

from functions import api as product
from functions.api.bodies import StrictParser
from functions.api.docs import Docs
from functions.api.errors import register_handlers
from socialcode.accounts.api import router as tokens

api = NinjaAPI(
    title="Social Code",
    version="1",
    description="Everything that the site's pages do, for programs.",
    parser=StrictParser(),
    docs=Docs(),
)
register_handlers(api)
api.add_router("/tokens/", tokens)
api.add_router("/functions/", product.functions)
api.add_router("/implementations/", product.implementations)
api.add_router("/tests/", product.tests)
api.add_router("/batches/", product.batches)
api.add_router("/results/", product.results)
api.add_router("/topics/", product.topics)
