"""The training of the tagger that finds what users tell of themselves."""
