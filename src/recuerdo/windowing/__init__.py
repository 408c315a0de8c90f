"""From a history to what the model is shown: pure functions that never change the history."""
