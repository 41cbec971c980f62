"""Results of many megabytes: in pieces, several at once, compressed, through the command line."""
