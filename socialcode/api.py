"""The REST interface, version 1."""

from ninja import NinjaAPI

api = NinjaAPI(title="Social Code", version="1")
