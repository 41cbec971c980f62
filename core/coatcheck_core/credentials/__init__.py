"""Users of a NATS server: keys, signed tokens and credentials files in its formats, and entries of its configuration.

Pure: whoever makes a key or a password brings the random bytes, whoever signs brings the time.
"""
