"""How often the synopsis names a text rightly, over a corpus that is built of what the machine has."""
