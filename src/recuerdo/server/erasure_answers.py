"""Answers about erasures: at once, or by jobs."""

from datetime import datetime
from typing import Literal

import msgspec

from recuerdo.memories.erase import ErasedPlace, ErasureReceipt
from recuerdo.memories.erasures import ErasureJob


class Erasure(msgspec.Struct, frozen=True):
    """The data of the caller that was removed. `complete`: every place was checked afterwards and is empty."""

    at: datetime
    removed: dict[str, int]
    rounds: int
    complete: bool
    places: list[ErasedPlace]

    @classmethod
    def of(cls, receipt: ErasureReceipt) -> "Erasure":
        counts = {"threads": receipt.threads, "messages": receipt.messages, "memories": receipt.memories}
        return cls(receipt.at, counts | receipt.others, receipt.rounds, receipt.complete, receipt.places)


class ErasureProgress(msgspec.Struct, frozen=True):
    """An erasure in the background. `users` counts the users erased so far; `complete` is for its end."""

    id: str
    status: Literal["pending", "running", "done"]
    asked_at: datetime
    updated_at: datetime
    users: int
    removed: dict[str, int]
    complete: bool
    places: list[ErasedPlace]

    @classmethod
    def of(cls, job: ErasureJob) -> "ErasureProgress":
        return cls(**{name: getattr(job, name) for name in cls.__struct_fields__})


class ErasureList(msgspec.Struct, frozen=True):
    """Erasures that go on in the background, or did, the latest first."""

    erasures: list[ErasureProgress]
