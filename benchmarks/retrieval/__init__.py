"""Requests for what is stored: the end of a gigabyte, a search through it, the newest of many, reads at a time."""
