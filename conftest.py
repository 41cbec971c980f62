"""Where this file stands, pytest finds the packages of the repository: `tests.support` and `benchmarks`."""
