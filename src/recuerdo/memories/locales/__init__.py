"""The languages that Recuerdo understands and answers in, one folder each.

A new language is a folder with the modules that the other languages have, and its name in LANGUAGES.
"""

LANGUAGES = ("es", "pt", "en")
