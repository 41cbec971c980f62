"""HTTP as probes and Prometheus speak it, and as nobody should."""

import asyncio
from urllib.parse import urlsplit

import msgspec
from prometheus_client.parser import text_string_to_metric_families

Labels = dict[str, str]


class Answer(msgspec.Struct, frozen=True):
    """What came back, whole; `status` is 0 where nothing did."""

    status: int
    headers: dict[str, str]
    body: bytes


async def get(url: str, path: str, *, method: str = "GET") -> Answer:
    return await send(url, f"{method} {path} HTTP/1.1\r\nhost: x\r\n\r\n".encode())


async def send(url: str, request: bytes) -> Answer:
    """These bytes, and all that comes until the other end closes."""
    reader, writer = await connect(url)
    try:
        writer.write(request)
        return parse(await asyncio.wait_for(reader.read(), 60))
    except ConnectionError:
        return Answer(0, {}, b"")
    finally:
        writer.close()


async def connect(url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    place = urlsplit(url)
    return await asyncio.open_connection(place.hostname, place.port)


def parse(answer: bytes) -> Answer:
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return Answer(int(first.split()[1]) if first else 0, headers, body)


class Scraped:
    """The samples of a page of metrics."""

    def __init__(self, page: bytes) -> None:
        self.families = {family.name: family for family in text_string_to_metric_families(page.decode())}
        self._samples = [sample for family in self.families.values() for sample in family.samples]

    def value(self, name: str, **labels: str) -> float:
        """The sum of the samples of that name that bear these labels."""
        return sum(
            sample.value for sample in self._samples if sample.name == name and labels.items() <= sample.labels.items()
        )

    def labels(self, name: str) -> list[Labels]:
        return [sample.labels for sample in self._samples if sample.name == name]
