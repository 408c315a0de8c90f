"""Settings, from the environment (prefix RECUERDO_) or from command-line flags."""

import os
import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from recuerdo.actions import Retries
from recuerdo.app.recuerdo import DEFAULT_DATABASE, DEFAULT_SPOOL
from recuerdo.core.caches import LIVES, DataType, Life
from recuerdo.core.errors import ConfigurationError
from recuerdo.core.threads import MOST_READ_BYTES, Durability
from recuerdo.history.message_fields import MESSAGE_FIELDS
from recuerdo.memories.spending import Budget

_PREFIX = "RECUERDO_"
_SIX_DAYS = 6 * 86_400.0
"""The longest life of cached data, in seconds: less than the time for which it is known that it was invalidated."""

_LIKENESS = 0.7
"""The similarity, from 0 to 1, from which a name counts as a misspelt setting."""

_ELSEWHERE = {
    "postgres_uri": "database_url",
    "postgres_url": "database_url",
    "mongodb_uri": "database_url",
    "redis_uri": "cache_url",
    "redis_url": "cache_url",
}
"""Names of other programs, which are not similar to ours."""

_SERVICE_LINK = "tcp://"
"""Kubernetes sets RECUERDO_PORT=tcp://... in the pods of a namespace with a Service called `recuerdo`."""

_SITES = (
    re.compile(r"[a-z][a-z0-9+.-]*://[^/\s*]+/?"),
    "is not an origin; write its scheme and host and no path, as in https://chat.example",
)
_HOSTS = (
    re.compile(r"[^\s/:*]+|[0-9a-fA-F:]*:[0-9a-fA-F:]*"),
    "is not the name of a host; write it without a scheme, a port or a path, as in memory.example",
)
_MODELS = (re.compile(r"offline|[^:\s]+:\S+"), "is not a model; write offline or provider:model, as in openai:gpt-5")
_FIELDS = (re.compile("|".join(MESSAGE_FIELDS)), f"is not one of {', '.join(MESSAGE_FIELDS)}")
_TYPES = (re.compile(r"[\w.]+:\w+"), "is not a type; write module:Class, as in shop.orders:Order")
_FORMS = {
    "message_fields": _FIELDS,
    "allowed_hosts": _HOSTS,
    "allowed_origins": _SITES,
    "public_url": _SITES,
    "models": _MODELS,
    "state_types": _TYPES,
}


class _SetVariables(EnvSettingsSource):
    """The variables that are set. Its parent asks for each setting whether its type needs JSON, which takes 40 ms."""

    def __call__(self) -> dict[str, Any]:
        """Their values, by the name of the setting."""
        values = {name: self.env_vars.get(f"{_PREFIX}{name}".lower()) for name in self.settings_cls.model_fields}
        return {name: value for name, value in values.items() if value is not None}


class Settings(BaseSettings):
    """Settings of a server or a command. Each field is a variable RECUERDO_<FIELD>; an empty one counts as unset."""

    model_config = SettingsConfigDict(env_prefix=_PREFIX, env_ignore_empty=True, frozen=True, protected_namespaces=())

    database_url: str = Field(DEFAULT_DATABASE, description="The database.")
    read_url: str | None = Field(None, description="A read replica of PostgreSQL, for cached reads.")
    cache_url: str | None = Field(None, description="The shared cache, e.g. `redis://127.0.0.1:6379/0`.")
    durability: Durability = Field(
        "sync", description="`sync`, or `async`: acknowledge appends when they are in the spool."
    )
    spool: str = Field(DEFAULT_SPOOL, description="The folder of the spool, for the durability `async`.")
    host: str = Field("127.0.0.1", description="The address to listen on. Without authentication: loopback only.")
    port: int = Field(8080, ge=0, le=65535, description="The port to listen on; 0 selects a free one.")
    workers: int = Field(1, ge=1, description="The number of server processes that share the port.")
    model: str = Field(
        "offline", description="The chat model: `offline`, or `provider:model` like `openai:gpt-5-mini`."
    )
    models: str | None = Field(None, description="Other models that assistants may choose, separated by commas.")
    model_base_url: str | None = Field(None, description="The address of a server that speaks the OpenAI protocol.")
    model_api_key: SecretStr | None = Field(None, description="The model's key, if not in its provider's variable.")
    temperature: float | None = Field(None, ge=0, le=2, description="The temperature of every model, 0 to 2.")
    max_tokens: int | None = Field(None, ge=1, description="The maximum number of tokens of an answer of any model.")
    extraction: Literal["detectors", "model"] = Field(
        "detectors", description="How facts are extracted: by `detectors`, or also by the `model`."
    )
    extraction_calls: int = Field(600, ge=1, description="The maximum number of extraction calls per tenant and hour.")
    extraction_tokens: int = Field(
        500_000, ge=1, description="The maximum number of extraction tokens per tenant and hour."
    )
    embeddings: str = Field("auto", description="The embedding model: `auto`, `none`, `offline` or `provider:model`.")
    embeddings_base_url: str | None = Field(None, description="The embedding model's address, if not the model's.")
    embeddings_api_key: SecretStr | None = Field(None, description="The embedding model's key, if not the model's.")
    config: str | None = Field(None, description="The `langgraph.json` that names the graphs to serve.")
    queues: str = Field("all", description="The queues of actions to work on: `all`, `none`, or some by commas.")
    sessions_by: Literal["server", "workers"] = Field(
        "server", description="Where messages of WebSockets are answered: by the `server`, or by `workers`."
    )
    sessions_wait: float = Field(
        30.0, ge=1, description="Seconds without a word of a worker after which a session's answer is given up."
    )
    action_attempts: int = Field(10, ge=1, description="How often an action is tried while a service is down.")
    action_pause: float = Field(
        60.0, ge=0, description="The longest pause between attempts, in seconds; the first is 1."
    )
    allowed_origins: str | None = Field(None, description="Sites whose pages may use the server, separated by commas.")
    allowed_hosts: str | None = Field(
        None, description="The names that the server may be called by, by commas, besides those of loopback."
    )
    retention: str | None = Field(None, description="How long unused data is kept: `threads=365d, episodic=90d`.")
    summarise_after: float = Field(
        600.0, ge=0, description="Seconds without a word after which a long thread is summarised."
    )
    message_life: float = Field(
        86_400.0, ge=1, le=_SIX_DAYS, description="Seconds that the shared cache keeps messages."
    )
    context_life: float = Field(
        1800.0, ge=1, le=_SIX_DAYS, description="Seconds without a use after which an execution context is made anew."
    )
    context_longest: float = Field(
        43_200.0, ge=1, le=_SIX_DAYS, description="Seconds after which an execution context is made anew in any case."
    )
    session_life: float = Field(3600.0, ge=1, le=_SIX_DAYS, description="Seconds without a use that end a session.")
    session_longest: float = Field(
        86_400.0, ge=1, le=_SIX_DAYS, description="Seconds after which a session ends in any case."
    )
    pool_size: int = Field(10, ge=1, le=1000, description="The number of connections to PostgreSQL.")
    webhooks_inside: bool = Field(False, description="Whether webhooks may call this machine and private networks.")
    state_types: str | None = Field(None, description="Types allowed in graph states: `module:Class`, by commas.")
    agents_url: str | None = Field(None, description="An agent-management service, instead of Recuerdo's assistants.")
    agents_token: SecretStr | None = Field(None, description="The bearer token for the agent-management service.")
    default_agent: str = Field("recuerdo", description="The agent of conversations that name none.")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="How much is logged.")
    log_format: Literal["console", "json"] = Field("console", description="The log format.")
    auth_issuer: str | None = Field(None, description="The issuer of accepted tokens: their `iss`.")
    auth_audience: str | None = Field(None, description="The accepted `aud` of tokens; several by commas.")
    auth_jwks_url: str | None = Field(None, description="The address of the issuer's keys: its `jwks_uri`.")
    auth_algorithms: str = Field("RS256,ES256", description="The issuer's signature algorithms, by commas.")
    auth_secret: SecretStr | None = Field(None, description="Instead of published keys: the secret of HS256 tokens.")
    auth_previous_secret: SecretStr | None = Field(None, description="The secret before, still accepted meanwhile.")
    auth_tenant: str | None = Field(None, description="The tenant of all the issuer's users, instead of a claim.")
    auth_tenants: str | None = Field(None, description="The only tenants that the issuer's claim may name, by commas.")
    auth_highest_role: Literal["user", "editor", "admin", "operator"] = Field(
        "admin", description="The highest role that the issuer, or `auth` of langgraph.json, may give."
    )
    auth_claim_tenant: str = Field("tenant", description="The claim with the tenant; `a.b` is a path.")
    auth_claim_user: str = Field("sub", description="The claim with the user.")
    auth_claim_role: str = Field("role", description="The claim with the role; without it the role is `user`.")
    auth_claim_tier: str = Field("tier", description="The claim with the tier.")
    auth_issuers: SecretStr | None = Field(None, description="Several issuers, as a JSON list of objects.")
    auth_api_keys: bool = Field(False, description="Whether API keys are accepted; see `recuerdo token create`.")
    auth_anonymous: bool = Field(False, description="Whether callers without a credential are visitors.")
    auth_visitor_key: SecretStr | None = Field(
        None, description="The key that signs visitors' tokens; several by commas: the first signs, all are accepted."
    )
    auth_visitor_days: float = Field(30, gt=0, le=400, description="Days after which an unused visitor is forgotten.")
    auth_visitor_tenant: str = Field("default", description="The tenant of visitors.")
    auth_visitor_users: str | None = Field(
        None, description="User ids of credentials that stand for no particular person (visitors), separated by commas."
    )
    oidc_issuer: str | None = Field(None, description="The identity provider at which people sign in for the page.")
    oidc_client_id: str | None = Field(None, description="This server's client id at the identity provider.")
    oidc_client_secret: SecretStr | None = Field(None, description="The client's secret, which also seals sessions.")
    oidc_scopes: str = Field("openid profile", description="The scopes to request from the provider, by spaces.")
    oidc_session: float = Field(12.0, gt=0, description="Hours after which people must sign in again.")
    public_url: str | None = Field(None, description="The address by which browsers reach the server.")
    read_bytes: int = Field(
        MOST_READ_BYTES, ge=1, description="How many bytes of messages a page, a window or a search returns."
    )
    message_fields: str | None = Field(
        None, description="What is filled into each message's metadata: agent_id, tenant_id, timestamp; by commas."
    )
    keep_secrets: bool = Field(False, description="Whether memories may have passwords, tokens and card numbers.")
    encryption_key: SecretStr | None = Field(
        None, description="The key that texts are encrypted with, base64 of 32 bytes; during a rotation several."
    )
    encryption_key_file: str | None = Field(None, description="A file with that key, instead of the variable.")
    limits: str | None = Field(
        None, description="The limits of callers: `requests=600/m, connections=2000`; or `off`. See Limit callers."
    )
    access_log: bool = Field(False, description="Whether each request is logged, with its route, status and duration.")
    slow_request: float = Field(5.0, ge=0, description="Seconds from which a request is logged as slow; 0 for never.")
    otlp_endpoint: str | None = Field(None, description="The OpenTelemetry collector that traces are sent to, by HTTP.")
    metrics_tenants: bool = Field(False, description="Whether metrics have a label for the tenant.")

    @field_validator("port", mode="before")
    @classmethod
    def _without_service_link(cls, port: object) -> object:
        return cls.model_fields["port"].default if str(port).startswith(_SERVICE_LINK) else port

    @field_validator("allowed_hosts", "allowed_origins", "message_fields", "models", "public_url", "state_types")
    @classmethod
    def _each_can_be_meant(cls, text: str | None, info: ValidationInfo) -> str | None:
        form, hint = _FORMS[info.field_name or ""]
        for each in listed(text):
            if not form.fullmatch(each):
                raise ValueError(f"{each!r} {hint}")
        return text

    @property
    def extraction_budget(self) -> Budget | None:
        """The budget of extraction by a model; None if only detectors extract."""
        return Budget(self.extraction_calls, self.extraction_tokens) if self.extraction == "model" else None

    @property
    def types_of_states(self) -> list[tuple[str, str]]:
        """Additional types that graph states may contain, by module and name."""
        return [(module, name) for module, _, name in (each.partition(":") for each in listed(self.state_types))]

    @property
    def model_arguments(self) -> dict[str, Any]:
        """The models with their addresses and keys, as Recuerdo.open takes them."""
        return {
            "model": self.model,
            "models": listed(self.models),
            "model_base_url": self.model_base_url,
            "model_api_key": revealed(self.model_api_key),
            "embeddings": self.embeddings,
            "embeddings_base_url": self.embeddings_base_url,
            "embeddings_api_key": revealed(self.embeddings_api_key),
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
        }

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Flags, then the environment."""
        return init_settings, _SetVariables(settings_cls)

    @property
    def lives(self) -> Mapping[DataType, Life]:
        """How long cached data, contexts and sessions live."""
        context = Life(self.context_life, max(self.context_life, self.context_longest))
        session = Life(self.session_life, max(self.session_life, self.session_longest))
        messages = Life(self.message_life, self.message_life)
        return {**LIVES, "messages": messages, "context": context, "session": session}

    @property
    def encryption_keys(self) -> str | None:
        """The keys that texts are encrypted with; None without encryption. Raises ConfigurationError."""
        if self.encryption_key_file is None:
            return revealed(self.encryption_key)
        if self.encryption_key is not None:
            raise ConfigurationError("Set RECUERDO_ENCRYPTION_KEY or RECUERDO_ENCRYPTION_KEY_FILE, and not both.")
        try:
            return Path(self.encryption_key_file).read_text("ascii")
        except (OSError, ValueError):
            raise ConfigurationError(
                f"RECUERDO_ENCRYPTION_KEY_FILE: {self.encryption_key_file} can't be read, or holds no key. "
                "Let this process read it, with one key a line."
            ) from None

    @property
    def retries(self) -> Retries:
        """How this process retries actions."""
        return Retries(self.action_attempts, longest_pause=self.action_pause)


def listed(text: str | None) -> tuple[str, ...]:
    """The comma-separated values of a setting."""
    return tuple(each.strip() for each in (text or "").split(",") if each.strip())


def revealed(secret: SecretStr | None) -> str | None:
    """The secret's value."""
    return secret.get_secret_value() if secret else None


def read_settings(**flags: Any) -> Settings:
    """The settings of the environment, overridden by flags that are not None. Raises ConfigurationError, in one line.

    A variable that looks like a misspelt setting is refused: ignoring it could mean using another database.
    """
    _check_names()
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        # values are not repeated, because one of them may be a key
        complaints = [_complaint(str(one["loc"][0]), one["msg"], given) for one in error.errors(include_input=False)]
        raise ConfigurationError("; ".join(complaints)) from None


def _check_names() -> None:
    fields = list(Settings.model_fields)
    for name, value in os.environ.items():
        field = name.upper().removeprefix(_PREFIX).lower()
        if name.upper().startswith(_PREFIX) and field not in fields and not value.startswith(_SERVICE_LINK):
            known = [_ELSEWHERE[field]] if field in _ELSEWHERE else get_close_matches(field, fields, 1, _LIKENESS)
            for meant in known:
                raise ConfigurationError(f"{name} is not a setting. Did you mean {_PREFIX}{meant.upper()}?")


def _complaint(field: str, problem: str, flags: dict[str, Any]) -> str:
    name = f"--{field.replace('_', '-')}" if field in flags else f"{_PREFIX}{field.upper()}"
    problem = problem.removeprefix("Value error, ")
    return f"{name}: {problem[:1].lower()}{problem[1:]}"
