"""The contract suites, one file a topic. Import them from `recuerdo.testing`."""
