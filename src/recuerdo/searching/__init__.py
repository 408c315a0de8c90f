"""Search over one owner's messages, memories and documents, by words, neighbours and vectors. Pure: no I/O.

Nothing is exported from here, so that numpy is imported only by code that searches.
"""
