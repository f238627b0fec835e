"""The site's settings with the layer that the documentation of Channels begins with."""

from socialcode.settings import *  # noqa: F403
from socialcode.settings import REDIS_URL

CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.core.RedisChannelLayer",
        # As documented, but for redis-py's new default, which would cut its waiting reads off.
        "CONFIG": {"hosts": [{"address": REDIS_URL, "socket_timeout": None}], "prefix": "core"},
    },
}
