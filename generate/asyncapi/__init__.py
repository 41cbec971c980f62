"""`schemas/asyncapi.yaml`: every subject, message and header in one document of AsyncAPI 3.0.0.

FastStream's own generator reads no msgspec struct, and tells neither parameters nor replies.
"""
