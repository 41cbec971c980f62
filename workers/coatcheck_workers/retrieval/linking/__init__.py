"""`link` and `upload`: URLs that give an original, or take one."""
