"""What is made from the contract in code, prose and samples: `schemas/json-schema/` and `schemas/asyncapi.yaml`.

A folder of its own, beside the four that are installed: it sees the workers' statistics and the declared streams, which
the contract's own package must not, and nobody needs it to use Coatcheck.
"""
