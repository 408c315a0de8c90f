"""From what users say to facts about them, by rules or by a model.

The rules are tables, one folder a language in `recuerdo.memories.locales`, and one engine for all of them. To teach it
a new turn of phrase, add a line to the language's `cues.py` and an utterance to `tests/data/utterances.jsonl`. The
patterns are written in lower case and without accents; `readers` reads a value off the words after a cue, and
`guards.py` decides whether a statement is taken back (negations, questions).
"""
