"""The ports of the bundled S3 server."""

from coatcheck_workers.embedded.s3 import GRPC_DISTANCE, LAST_PORT, _free_ports


def test_every_flag_has_a_port_of_its_own() -> None:
    ports = _free_ports(None)
    assert len(set(ports.values())) == len(ports) == 10
    assert all(0 < port <= LAST_PORT for port in ports.values())


def test_maintenance_lies_where_the_server_looks_for_it() -> None:
    ports = _free_ports(None)
    assert ports["admin.port.grpc"] - ports["admin.port"] == GRPC_DISTANCE


def test_given_s3_port_is_taken_as_it_is() -> None:
    assert _free_ports(8333)["s3.port"] == 8333
