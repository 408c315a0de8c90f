"""One file a resource: parse the request, call a service, shape the answer."""
