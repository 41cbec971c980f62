"""JetStream as the flow uses it: what is appended, held, read and taken away."""
