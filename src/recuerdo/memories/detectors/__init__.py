"""What people say of themselves, as tables: one module a language, one engine for all of them.

To teach it a new turn of phrase, add a line to `spanish.py`, `portuguese.py` or `english.py`, and an utterance to
`tests/data/utterances.jsonl`. The patterns are written in lower case and without accents; how a value is read off
the words behind a cue is in `readers.py`, and what takes a statement back (negations, questions) in `guards.py`.
"""
