"""Settings, from the environment (prefix RECUERDO_) or from command-line flags."""

from typing import Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from recuerdo.bootstrap import DEFAULT_DATABASE


class Settings(BaseSettings):
    """How a server or a command runs. Each field is the environment variable RECUERDO_<FIELD>."""

    model_config = SettingsConfigDict(env_prefix="RECUERDO_", frozen=True, protected_namespaces=())

    database_url: str = Field(DEFAULT_DATABASE, description="Where everything durable lives.")
    host: str = Field("127.0.0.1", description="The address to listen on. Without authentication: loopback only.")
    port: int = Field(8080, ge=0, le=65535, description="The port to listen on; 0 takes a free one.")
    model: str = Field("offline", description="Who answers: `offline`, or `provider:model` like `openai:gpt-5-mini`.")
    model_base_url: str | None = Field(None, description="The address of a server that speaks the OpenAI protocol.")
    model_api_key: SecretStr | None = Field(None, description="The model's key, unless its provider's variable has it.")
    embeddings: str = Field("auto", description="What finds memories: `auto`, `none`, `offline` or `provider:model`.")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="How much is logged.")
