"""All settings, read from the environment; a clone works without setting any."""

import os
import secrets
from pathlib import Path
from typing import Any

from csp.constants import NONCE, NONE, SELF

from socialcode.accounts.providers.configuration import read_providers
from socialcode.accounts.sign_in import configuration
from socialcode.database.configuration import database_from
from socialcode.embedded.places import Places
from socialcode.environment import Environment, SettingError
from socialcode.logs import configure_logs
from socialcode.server import cross_origin

env = Environment()

BASE_DIR = Path(__file__).resolve().parent.parent
# The folder of files that a running site writes: embedded engines, logs and the secret key.
VAR_DIR = Path(env.str("SOCIALCODE_VAR", default=str(BASE_DIR / "var"))).resolve()


def _kept_secret(file: Path) -> str:
    """Return the secret in this file; the first of concurrent starts creates it."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    if not file.exists():
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(64), encoding="ascii")
        try:
            os.link(draft, file)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return file.read_text(encoding="ascii")


# --- Mode -------------------------------------------------------------------------------------
# Development: error pages with tracebacks, plain HTTP, the account demo / demo. `make run` sets it.
DEVELOPMENT = env.bool("SOCIALCODE_DEVELOPMENT", default=False)
DEBUG = env.bool("SOCIALCODE_DEBUG", default=False)
# Plain HTTP is for browsers on the same machine (and tests); everything else uses TLS.
SECURE = env.bool("SOCIALCODE_SECURE", default=not DEVELOPMENT)

# A key that is kept here is for one machine; in production, its processes refuse to start with it.
SECRET_KEY_FILE = VAR_DIR / "secret-key"
SECRET_KEY = env.str("SECRET_KEY", default="")
HAS_OWN_SECRET_KEY = not SECRET_KEY
if HAS_OWN_SECRET_KEY:
    SECRET_KEY = _kept_secret(SECRET_KEY_FILE)
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
# The host name of users' pages, if they have one of their own; with the port, if it isn't usual.
PAGES_HOST = env.str("SOCIALCODE_PAGES_HOST", default="")
if PAGES_HOST:
    ALLOWED_HOSTS.append(PAGES_HOST.rpartition(":")[0] or PAGES_HOST)
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
# Sites whose pages may use the API by tokens; by default all.
globals().update(cross_origin.settings_of(env.list("SOCIALCODE_API_ORIGINS", default=[])))
# Proxies whose headers on client address and scheme are trusted; none by default.
BEHIND_PROXY = env.bool("SOCIALCODE_BEHIND_PROXY", default=False)
TRUSTED_PROXIES = env.networks("SOCIALCODE_TRUSTED_PROXIES", default="127.0.0.1,::1")
if "SOCIALCODE_TRUSTED_PROXIES" in os.environ and not BEHIND_PROXY:
    raise SettingError("SOCIALCODE_TRUSTED_PROXIES is set. Set SOCIALCODE_BEHIND_PROXY=1, too.")

# --- Parts ------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "servestatic",
    # Its pages are discovered with the URLs, so that processes without pages needn't load them.
    "socialcode.staff.apps.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django.forms",
    "channels",
    "django_rq",
    "csp",
    *configuration.APPS,
    "runner",
    "functions",
    "socialcode",
    "socialcode.accounts",
]
MIDDLEWARE = [
    # Answers are of random lengths then, so that these tell nothing of secrets in them.
    "django.middleware.gzip.GZipMiddleware",
    "corsheaders.middleware.CorsMiddleware",
    "functions.api.middleware.ApiMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "socialcode.middleware.PagesMiddleware",
    "socialcode.middleware.IsolationMiddleware",
    "socialcode.middleware.StaticMiddleware",
    "socialcode.middleware.PrivacyMiddleware",
    "socialcode.middleware.PolicyMiddleware",
    "socialcode.accounts.middleware.OriginMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "socialcode.accounts.middleware.SessionUserMiddleware",
    "socialcode.accounts.middleware.TokenMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    configuration.MIDDLEWARE,
    # After authentication and CSRF checks.
    "socialcode.throttle.ThrottleMiddleware",
    "socialcode.throttle.QuotaMiddleware",
    "functions.api.idempotency.IdempotencyMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "socialcode.urls"
ASGI_APPLICATION = "socialcode.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["django.templatetags.i18n"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
                "socialcode.context.workers",
                "socialcode.context.languages",
                "socialcode.context.mail",
            ],
        },
    },
]
# Lets our templates override those of forms.
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

# --- Engines ----------------------------------------------------------------------------------
EMBEDDED = Places(VAR_DIR)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# The most that the pool of a process has.
CONNECTIONS_PER_PROCESS = 10
# Off in tests, because a test database can't be dropped while pooled connections are open.
DATABASE_POOL = env.bool("SOCIALCODE_DATABASE_POOL", default=True)
# The server ends idle transactions, which hold locks, queries of vanished clients, and slow queries
# of pages.
SESSION = {
    "idle_in_transaction_session_timeout": "60s",
    "lock_timeout": "20s",
    "client_connection_check_interval": "5s",
    "statement_timeout": f"{env.int('SOCIALCODE_STATEMENT_SECONDS', default=0)}s",
}
# The statement timeout of workers and sweepers, whose queries may take longer.
WORKER_STATEMENT_SECONDS = env.int("SOCIALCODE_WORKER_STATEMENT_SECONDS", default=300)
DATABASES = {
    "default": database_from(
        env.str("DATABASE_URL", default=EMBEDDED.database_url),
        session=SESSION,
        pool_size=CONNECTIONS_PER_PROCESS if DATABASE_POOL else 0,
    )
}

REDIS_URL = env.str("REDIS_URL", default=EMBEDDED.redis_url)
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {
            # The client's default timeout would end an idle subscriber after 5 seconds, and its
            # default of 100 connections is too low.
            "hosts": [{"address": REDIS_URL, "socket_timeout": None, "max_connections": 5000}],
            # Redis channels ignore database numbers: sites on one server need different prefixes.
            "prefix": env.str("SOCIALCODE_CHANNEL_PREFIX", default="socialcode"),
        },
    },
}
RQ_QUEUES = {
    "runs": {"URL": REDIS_URL, "SERIALIZER": "rq.serializers.JSONSerializer", "DEFAULT_TIMEOUT": -1}
}
RQ = {"COMMIT_MODE": "auto"}  # jobs are enqueued at once; the outbox does it after the commit
RQ_SHOW_ADMIN_LINK = True

# --- Workers ----------------------------------------------------------------------------------
# The Python that runs programs and checks source, of all processes alike: it is part of the
# programs' keys. The sandbox reads it by itself, because it also runs without a site.
SANDBOX_PYTHON = env.str("SOCIALCODE_SANDBOX_PYTHON", default="")
WORKERS = env.int("SOCIALCODE_WORKERS", default=2)
# Web servers on all machines; only for checking whether PostgreSQL allows enough connections.
WEB_PROCESSES = env.int("SOCIALCODE_WEB_PROCESSES", default=1)
# The number of programs that a worker runs at once.
SANDBOX_SLOTS = env.int("SOCIALCODE_SANDBOX_SLOTS", default=1)
# The duration of leases: how long a worker without heartbeats keeps its executions.
LEASE_SECONDS = env.int("SOCIALCODE_LEASE_SECONDS", default=30)
# Executions that one owner may have in progress while others wait: enough to keep all workers busy
# between two claims, but few, so that a new owner doesn't wait long.
RUNS_PER_OWNER = env.int("SOCIALCODE_RUNS_PER_OWNER", default=8 * WORKERS)
# Tasks that one owner may have queued; more are refused, or loaded later.
QUEUED_PER_OWNER = env.int("SOCIALCODE_QUEUED_PER_OWNER", default=20_000)

# What an account may use in a day (UTC); staff can set other limits for one account. Calls also
# take CPU time, which is counted with that of runs.
CPU_SECONDS_PER_DAY = env.int("SOCIALCODE_CPU_SECONDS_PER_DAY", default=7_200)
RUNS_PER_DAY = env.int("SOCIALCODE_RUNS_PER_DAY", default=50_000)
CALLS_PER_DAY = env.int("SOCIALCODE_CALLS_PER_DAY", default=50_000)
DRAFTS_PER_DAY = env.int("SOCIALCODE_DRAFTS_PER_DAY", default=1_000)
FUNCTIONS_PER_DAY = env.int("SOCIALCODE_FUNCTIONS_PER_DAY", default=300)
# The SPDX expression of the license under which people publish; each work keeps its own.
CONTENT_LICENSE = env.license("SOCIALCODE_CONTENT_LICENSE", default="MIT")
# What the collections of an account may have at once.
COLLECTIONS_PER_USER = env.int("SOCIALCODE_COLLECTIONS_PER_USER", default=100)
COLLECTION_BYTES_PER_USER = env.int("SOCIALCODE_COLLECTION_BYTES_PER_USER", default=100_000_000)
ITEMS_PER_COLLECTION = env.int("SOCIALCODE_ITEMS_PER_COLLECTION", default=100_000)

# For calls: the address of `manage.py callers`, the number run at once, and the limit per user.
CALLERS_SOCKET = env.socket("SOCIALCODE_CALLERS_SOCKET", default=str(EMBEDDED.callers_socket))
CALL_SLOTS = env.int("SOCIALCODE_CALL_SLOTS", default=2)
CALLS_PER_MINUTE = env.int("SOCIALCODE_CALLS_PER_MINUTE", default=600)
# For analyses of source text: the address, and the object with their functions.
ANALYSIS_SOCKET = env.socket("SOCIALCODE_ANALYSIS_SOCKET", default=str(EMBEDDED.analysis_socket))
ANALYST = "functions.analysis.confined:analyst"

# Sockets that a user, or an address for anonymous clients, may have open in one web process. Each
# open page has one. Behind a proxy, set SOCIALCODE_BEHIND_PROXY, or all clients have its address.
SOCKETS_PER_USER = env.int("SOCIALCODE_SOCKETS_PER_USER", default=50)
SOCKETS_PER_ADDRESS = env.int("SOCIALCODE_SOCKETS_PER_ADDRESS", default=200)
# Connections of any kind that an address may have open to one web process; trusted proxies have no
# limit.
CONNECTIONS_PER_ADDRESS = env.int("SOCIALCODE_CONNECTIONS_PER_ADDRESS", default=1_000)

# Days for which are kept: events; ended batches with their tasks; unreferenced results (since their
# last use); changes of votes, not votes themselves; read and unread notifications.
KEEP_EVENTS_DAYS = env.int("SOCIALCODE_KEEP_EVENTS_DAYS", default=7)
KEEP_BATCHES_DAYS = env.int("SOCIALCODE_KEEP_BATCHES_DAYS", default=90)
KEEP_RESULTS_DAYS = env.int("SOCIALCODE_KEEP_RESULTS_DAYS", default=30)
KEEP_VOTE_HISTORY_DAYS = env.int("SOCIALCODE_KEEP_VOTE_HISTORY_DAYS", default=730)
KEEP_NOTIFICATIONS_DAYS = env.int("SOCIALCODE_KEEP_NOTIFICATIONS_DAYS", default=90)
KEEP_UNREAD_NOTIFICATIONS_DAYS = env.int("SOCIALCODE_KEEP_UNREAD_NOTIFICATIONS_DAYS", default=365)

# Whether agents' votes decide as everybody's; else they are counted apart and decide nothing.
AGENT_QUOTA_PERCENT = env.int("SOCIALCODE_AGENT_QUOTA_PERCENT", default=50)
AGENT_VOTES_ELECT = env.bool("SOCIALCODE_AGENT_VOTES_ELECT", default=False)

# --- Mail -------------------------------------------------------------------------------------
# The base URL of links in mails and packages.
_here = f"http://localhost:{env.str('PORT', default='') or 8_000}"  # as `make run PORT=` serves it
PUBLIC_URL = env.str("SOCIALCODE_PUBLIC_URL", default=_here).rstrip("/")
WEBHOOKS_TO_PRIVATE = env.bool("SOCIALCODE_WEBHOOKS_TO_PRIVATE", default=False)
# Without a server, mails are written to standard output.
_mail: dict[str, Any] = env.email_url("EMAIL_URL", default="consolemail://")
globals().update({name: value for name, value in _mail.items() if value})
EMAIL_TIMEOUT = 10
SENDS_MAIL = DEVELOPMENT or bool(env.str("EMAIL_URL", default=""))
DEFAULT_FROM_EMAIL = env.str("SOCIALCODE_MAIL_FROM", default="Social Code <noreply@localhost>")

# --- People -----------------------------------------------------------------------------------
# Whether new accounts need a mail address, and sign in once it is confirmed.
CONFIRM_EMAIL = env.bool("SOCIALCODE_CONFIRM_EMAIL", default=False)
OIDC_PROVIDERS = read_providers()
globals().update(configuration.settings_of(CONFIRM_EMAIL, SENDS_MAIL, SECURE))
# Rate limits of passwords, sign-ups and writes; counted in Redis.
RATE_LIMITS = env.bool("SOCIALCODE_RATE_LIMITS", default=True)
PASSWORD_HASHERS = env.list(
    "SOCIALCODE_PASSWORD_HASHERS",
    default=[
        "socialcode.accounts.hashers.ScryptHasher",
        "socialcode.accounts.hashers.PBKDF2Hasher",
    ],
)

# --- Language and time ------------------------------------------------------------------------
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "socialcode/locale"]
LANGUAGE_COOKIE_NAME = "language"
LANGUAGE_COOKIE_AGE = 31_536_000
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = SECURE
TIME_ZONE = "UTC"
USE_TZ = True

# --- Files ------------------------------------------------------------------------------------
# Whether to serve the hashed files of `collectstatic`, or files directly from STATICFILES_DIRS.
COLLECTED_STATIC = env.bool("SOCIALCODE_COLLECTED_STATIC", default=not DEVELOPMENT)
STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
# What `make docs` builds.
DOCUMENTATION = BASE_DIR / "documentation"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": (
            "servestatic.storage.CompressedManifestStaticFilesStorage"
            if COLLECTED_STATIC
            else "django.contrib.staticfiles.storage.StaticFilesStorage"
        ),
    },
}
SERVESTATIC_USE_FINDERS = not COLLECTED_STATIC
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024

# --- Security ---------------------------------------------------------------------------------
# Pages of django-rq have exceptions: see `socialcode.middleware`.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF, NONCE],
        # The editor writes its styles into an own element, which has the nonce.
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        # Previews of pages.
        "frame-src": [PAGES_HOST or SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    },
}
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_SSL_REDIRECT = SECURE
SECURE_HSTS_SECONDS = 31_536_000 if SECURE else 0
# These concern hosts that aren't ours: their owner decides, and no check recommends it.
SECURE_HSTS_INCLUDE_SUBDOMAINS = env.bool("SOCIALCODE_HSTS_SUBDOMAINS", default=False)
SECURE_HSTS_PRELOAD = env.bool("SOCIALCODE_HSTS_PRELOAD", default=False)
if SECURE_HSTS_PRELOAD and not SECURE_HSTS_INCLUDE_SUBDOMAINS:
    raise SettingError("SOCIALCODE_HSTS_PRELOAD is set. Set SOCIALCODE_HSTS_SUBDOMAINS=1, too.")
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SESSION_ENGINE = "socialcode.accounts.sessions"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE
# With the prefix, browsers refuse the cookie from another host or path, or without TLS.
SESSION_COOKIE_NAME = "__Host-sessionid" if SECURE else "sessionid"
CSRF_COOKIE_NAME = "__Host-csrftoken" if SECURE else "csrftoken"
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"

# --- Logs -------------------------------------------------------------------------------------
LOGGING_CONFIG = None
configure_logs(
    level=env.str("SOCIALCODE_LOG_LEVEL", default="INFO"),
    readable=not env.bool("SOCIALCODE_LOG_JSON", default=not DEVELOPMENT),
)

# --- Metrics ----------------------------------------------------------------------------------
# The token for /metrics; if empty, only staff may read them.
METRICS_TOKEN = env.str("SOCIALCODE_METRICS_TOKEN", default="")
