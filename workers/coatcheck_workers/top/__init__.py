"""What `coatcheck top` shows: the workers by what they say of themselves, the queue and the streams by the server."""
