"""Checkpoints that grow linearly: what a graph's saver needs, in Recuerdo's words and without LangGraph."""

from recuerdo.checkpoints.checkpoints import Checkpoint, Checkpoints, History, NewCheckpoint, Place, Write
from recuerdo.checkpoints.codec import Codec, Division, Elements, Entry, Piece, Shelf
from recuerdo.checkpoints.deltas import Delta

__all__ = [
    "Checkpoint",
    "Checkpoints",
    "Codec",
    "Delta",
    "Division",
    "Elements",
    "Entry",
    "History",
    "NewCheckpoint",
    "Piece",
    "Place",
    "Shelf",
    "Write",
]
