"""The toolkit of asynchronous work: batches, coalesced requests, circuit breakers, background tasks."""
