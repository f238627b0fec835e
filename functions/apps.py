"""The Django app of the product."""

from importlib import import_module

from django.apps import AppConfig
from django.utils import translation

from functions.errors import translate_with


class FunctionsConfig(AppConfig):
    """Functions, implementations, tests, votes and pages."""

    name = "functions"

    def ready(self) -> None:
        # Imported here, as it needs the models, which are loaded by now.
        handlers = import_module("runner.registry").handlers
        handlers.add(import_module("functions.registration").HANDLERS)
        import_module("functions.models.agent_labels").register()
        import_module("functions.collections.view_source").register()
        import_module("functions.kinds.document_records").register()
        translate_with(translation)
