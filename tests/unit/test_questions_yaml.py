"""What an agent asks of YAML that it can't see, and where its stub answers."""

from tests.support.answering import stub_of

COMPOSE = """\
name: shop
services:
  web:
    image: nginx:1.27
    ports: ["80:80"]
  api:
    image: shop/api:2.1
    environment: {LOG: debug}
  database:
    image: postgres:16
volumes:
  data: {}
"""
WORKFLOW = """\
name: tests
on:
  push: {branches: [main]}
  pull_request:
jobs:
  lint:
    runs-on: ubuntu-latest
    steps:
    - uses: actions/checkout@v4
    - run: |
        make lint
        make types
  test:
    needs: lint
    runs-on: ubuntu-latest
    steps:
    - run: make test
"""
PODS = "apiVersion: v1\nkind: List\nitems:\n" + "".join(
    f"- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: web-{number}\n  status:\n    phase: Running\n"
    for number in range(700)
)
MANIFESTS = "".join(
    f"---\napiVersion: apps/v1\nkind: {kind}\nmetadata:\n  labels: {{app: shop}}\n  name: shop-{name}\nspec: {{}}\n"
    for kind, name in (("Deployment", "web"), ("Service", "web"), ("ConfigMap", "settings"))
)
PLAYBOOK = (
    "- name: set up\n  hosts: web\n  become: true\n  tasks:\n"
    + "".join(f"  - name: step {number}\n    apt: {{name: p{number}}}\n" for number in range(12))
    + "- name: check\n  hosts: all\n"
)
OPENAPI = "openapi: 3.1.0\ninfo:\n  title: Shop\n  version: 1.2.0\npaths:\n" + "".join(
    f"  /things/{number}:\n    get:\n      responses:\n        '200': {{description: it}}\n" for number in range(900)
)


def test_which_services_a_compose_file_has() -> None:
    assert "services: mapping (web, api, database)" in stub_of(COMPOSE)


def test_what_the_project_is_called() -> None:
    assert "name: string = shop" in stub_of(COMPOSE)


def test_which_image_a_service_uses_is_a_search_away() -> None:
    assert "tool_result_search with ref=coat://s/call" in stub_of(COMPOSE)


def test_which_jobs_a_workflow_has_and_when_it_runs() -> None:
    stub = stub_of(WORKFLOW)
    assert "on: mapping (push, pull_request)" in stub
    assert "jobs: mapping (lint, test)" in stub


def test_how_many_pods_a_list_has() -> None:
    assert "items: sequence[700]" in stub_of(PODS)


def test_which_objects_a_set_of_manifests_makes() -> None:
    stub = stub_of(MANIFESTS)
    assert "documents: 3" in stub
    assert "Deployment/shop-web, Service/shop-web, ConfigMap/shop-settings" in stub


def test_how_many_plays_and_tasks_a_playbook_has() -> None:
    stub = stub_of(PLAYBOOK)
    assert "YAML sequence, entries: 2" in stub
    assert "[].tasks: sequence[12]" in stub


def test_how_many_paths_an_interface_has_and_in_which_version() -> None:
    stub = stub_of(OPENAPI)
    assert "openapi: string = 3.1.0" in stub
    assert "and 894 more)" in stub


def test_whether_the_output_is_whole_and_where_it_ends() -> None:
    stub = stub_of(PODS[: PODS.index("metadata", 20_000) + 4])
    assert "looks like yaml, but is incomplete" in stub
    assert len(stub) < 1500
