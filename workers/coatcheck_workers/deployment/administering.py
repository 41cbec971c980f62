"""Who may look at a deployment, in words: what agents and tools are refused is no right that they lack."""

AS_ADMINISTRATOR = (
    "log in as an administrator (`coatcheck grant --role admin`; of `coatcheck up`: without --config, or with "
    "admin.yaml in its data folder)"
)
