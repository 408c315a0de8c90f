"""Who is asking: the principal of a request, and which requests are listened to at all."""
