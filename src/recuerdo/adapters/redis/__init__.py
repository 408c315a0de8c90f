"""Redis, Valkey or a Redis Cluster: the cache that replicas share. It may vanish without a wrong answer."""

from recuerdo.adapters.redis.buckets import RedisBuckets
from recuerdo.adapters.redis.connection import RedisCache
from recuerdo.adapters.redis.entries import RedisEntries
from recuerdo.adapters.redis.events import RedisEventLog
from recuerdo.adapters.redis.history import RedisHistory

__all__ = ["RedisBuckets", "RedisCache", "RedisEntries", "RedisEventLog", "RedisHistory"]
