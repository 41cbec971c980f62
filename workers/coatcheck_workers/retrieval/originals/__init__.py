"""Originals as they lie in storage: found, remembered, proved by their checksums, whole or by range."""
