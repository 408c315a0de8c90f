"""What can be seen of a running Recuerdo: metrics and logs. Neither ever holds what was said, nor a key."""
