"""The settings by which a worker is watched: its health, its metrics, its log and its traces."""

from typing import Annotated, Literal

from msgspec import Meta

from .section import Section


class HttpSettings(Section, frozen=True):
    """Where a worker answers for its health, and to Prometheus."""

    host: Annotated[str, Meta(min_length=1, description="address to listen on for /healthz, /readyz and /metrics")] = (
        "127.0.0.1"
    )
    port: Annotated[
        int, Meta(ge=0, le=65_535, description="port for these; 0: none; `up` gives its workers this and the next ones")
    ] = 0


class LogsSettings(Section, frozen=True):
    level: Annotated[
        Literal["debug", "info", "warning", "error"], Meta(description="the least severe of what is logged")
    ] = "info"
    format: Annotated[Literal["text", "json"], Meta(description="lines for people, or one JSON object a line")] = "text"


class TracingSettings(Section, frozen=True):
    """Where the spans go is said by OpenTelemetry's own variables, `OTEL_EXPORTER_OTLP_ENDPOINT` above all."""

    enabled: Annotated[
        bool, Meta(description="true: workers send OpenTelemetry spans, by OTLP over HTTP; needs `coatcheck[otel]`")
    ] = False
    sample_ratio: Annotated[
        float,
        Meta(ge=0, le=1, description="share of traces kept of results and requests that come without one of their own"),
    ] = 0.01
    max_per_second: Annotated[
        int,
        Meta(
            ge=1, le=1_000_000, description="messages that one worker traces in a second at most, whoever asks for it"
        ),
    ] = 100
