"""Finding what was said: words, their neighbourhoods and vectors, over one owner's messages. Pure: no I/O.

Nothing is exported from here: numpy, which does the sums, is loaded by those who search and by nobody else.
"""
