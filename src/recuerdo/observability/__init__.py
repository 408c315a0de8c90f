"""Metrics and logs. Neither ever contains message text or keys."""
