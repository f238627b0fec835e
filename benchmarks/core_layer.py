"""The site's settings with the default channel layer of Channels' documentation."""

from socialcode.settings import *  # noqa: F403
from socialcode.settings import REDIS_URL

CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.core.RedisChannelLayer",
        # As documented, except redis-py's new default timeout, which would abort blocking reads.
        "CONFIG": {"hosts": [{"address": REDIS_URL, "socket_timeout": None}], "prefix": "core"},
    },
}
