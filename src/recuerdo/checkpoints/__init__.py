"""Checkpoints that grow linearly: the core of a graph's saver, without LangGraph."""

from recuerdo.checkpoints.checkpoints import Checkpoint, Checkpoints, HistoryChannel, NewCheckpoint, Place, Write
from recuerdo.checkpoints.codec import Codec, CodecCache, Division, Elements, Entry, Piece
from recuerdo.checkpoints.deltas import Delta
from recuerdo.checkpoints.thread import HistoryEpoch

__all__ = [
    "Checkpoint",
    "Checkpoints",
    "Codec",
    "CodecCache",
    "Delta",
    "Division",
    "Elements",
    "Entry",
    "HistoryChannel",
    "HistoryEpoch",
    "NewCheckpoint",
    "Piece",
    "Place",
    "Write",
]
