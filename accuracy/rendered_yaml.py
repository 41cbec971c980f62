"""YAML as people write it for clusters, pipelines and services, with comments, anchors and block scalars."""

from collections.abc import Callable
from random import Random

_NAMES = ("web", "orders", "payments", "search", "mailer", "gateway")


def _deployment(random: Random) -> str:
    documents = []
    for name in random.sample(_NAMES, random.choice((1, 2, 5))):
        documents.append(f"""apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}
  labels: {{app: {name}, tier: backend}}
spec:
  replicas: {random.randrange(1, 9)}
  selector:
    matchLabels:
      app: {name}
  template:
    metadata:
      labels:
        app: {name}
    spec:
      containers:
        - name: {name}
          image: "registry.example/{name}:1.{random.randrange(30)}"
          args: ["--port", "8080"]
          ports:
            - containerPort: 8080
          resources:
            limits: {{cpu: 500m, memory: 256Mi}}
---
apiVersion: v1
kind: Service
metadata:
  name: {name}
spec:
  selector:
    app: {name}
  ports:
    - port: 80
      targetPort: 8080
""")
    return "---\n".join(documents)


def _configmap(random: Random) -> str:
    name = random.choice(_NAMES)
    return f"""# Settings of {name}; edit with care.
apiVersion: v1
kind: ConfigMap
metadata:
  name: {name}-settings
data:
  nginx.conf: |
    server {{
      listen 80;
      location / {{
        proxy_pass http://{name}:8080;
      }}
    }}
  start.sh: |
    #!/bin/sh
    set -e
    echo "starting {name}"
    exec /bin/{name} --workers {random.randrange(9)}
  LOG_LEVEL: debug
"""


def _compose(random: Random) -> str:
    services = "".join(
        f'  {name}:\n    image: {name}:{random.randrange(9)}.0\n    ports:\n      - "80{n}0:80"\n    environment:\n'
        f"      - LOG_LEVEL=debug\n      - DB=postgres://db/{name}\n    depends_on: [db]\n    <<: *defaults\n\n"
        for n, name in enumerate(random.sample(_NAMES, random.choice((1, 3, 6))))
    )
    return f'version: "3.8"\n\nx-defaults: &defaults\n  restart: unless-stopped\n\nservices:\n{services}volumes:\n  data:\n'


def _workflow(random: Random) -> str:
    jobs = "".join(
        f"  {name}:\n    runs-on: ubuntu-latest\n    strategy:\n      matrix:\n        python: ['3.10', '3.11']\n    steps:\n      - uses: actions/checkout@v4\n"
        f"      - name: Run the tests of {name}\n        if: ${{{{ github.event_name == 'push' }}}}\n        run: |\n          pip install .\n          pytest tests/{name}\n"
        for name in random.sample(_NAMES, random.choice((1, 2, 4)))
    )
    return f"name: CI\non:\n  push:\n    branches: [main]\n  pull_request:\n\npermissions:\n  contents: read\n\njobs:\n{jobs}"


def _playbook(random: Random) -> str:
    tasks = "".join(
        f'    - name: Install {name}\n      ansible.builtin.apt:\n        name: {name}\n        state: present\n      become: true\n      when: ansible_os_family == "Debian"\n      notify: restart {name}\n\n'
        for name in random.sample(_NAMES, random.choice((2, 4, 6)))
    )
    return f'---\n- name: Set up the servers\n  hosts: all\n  vars:\n    port: {random.randrange(9000)}\n    url: "http://{{{{ inventory_hostname }}}}:{{{{ port }}}}"\n  tasks:\n{tasks}'


def _tasks(random: Random) -> str:
    return "---\n" + "".join(
        f"- name: Copy the settings of {name}\n  template:\n    src: {name}.conf.j2\n    dest: /etc/{name}.conf\n    mode: '0644'\n  tags: [{name}, config]\n\n"
        for name in random.sample(_NAMES, 4)
    )


def _openapi(random: Random) -> str:
    paths = "".join(
        f"  /{name}/{{id}}:\n    get:\n      summary: Return one of the {name}, or say that there is none.\n      operationId: get_{name}\n      parameters:\n        - $ref: '#/components/parameters/id'\n"
        f"      responses:\n        '200':\n          description: OK\n          content:\n            application/json:\n              schema:\n                $ref: '#/components/schemas/{name}'\n        '404':\n          description: Not found.\n"
        for name in random.sample(_NAMES, random.choice((2, 6)))
    )
    return f"openapi: 3.0.3\ninfo:\n  title: Shop API\n  description: >-\n    What the shop offers to its partners. It is\n    versioned by date.\n  version: 1.{random.randrange(9)}.0\npaths:\n{paths}components:\n  parameters:\n    id:\n      name: id\n      in: path\n      required: true\n      schema: {{type: integer}}\n"


def _values(random: Random) -> str:
    sections = "".join(
        f'{name}:\n  # -- how many of them\n  replicas: {random.randrange(9)}\n  image:\n    repository: {name}\n    tag: ""\n    pullPolicy: IfNotPresent\n  resources: {{}}\n  nodeSelector: {{}}\n  tolerations: []\n\n'
        for name in random.sample(_NAMES, random.choice((2, 6)))
    )
    return f'# Default values for shop.\n# This is a YAML-formatted file.\n\nnameOverride: ""\n\n{sections}'


def _flat(random: Random) -> str:
    return "".join(
        f"{name}_{key}: {random.choice(('true', '17', 'null', 'some words', '1.5s', '[a, b]'))}\n"
        for name in _NAMES
        for key in ("timeout", "retries", "mode")
    )


def _list(random: Random) -> str:
    return "".join(f"- {name}-{random.randrange(99)}\n" for name in _NAMES * random.choice((1, 5)))


def _prometheus(random: Random) -> str:
    rules = "".join(
        f'      - alert: {name.title()}Down\n        expr: up{{job="{name}"}} == 0\n        for: {random.randrange(1, 30)}m\n        labels:\n          severity: page\n        annotations:\n          summary: "{name} on {{{{ $labels.instance }}}} is down"\n'
        for name in random.sample(_NAMES, 4)
    )
    return f"groups:\n  - name: shop\n    interval: 30s\n    rules:\n{rules}"


DOCUMENTS: dict[str, tuple[str, Callable[[Random], str]]] = {
    "kubernetes manifests": ("yaml", _deployment),
    "kubernetes configmap": ("yaml", _configmap),
    "docker compose file": ("yaml", _compose),
    "github workflow": ("yaml", _workflow),
    "ansible playbook": ("yaml", _playbook),
    "ansible tasks": ("yaml", _tasks),
    "openapi": ("yaml", _openapi),
    "helm values": ("yaml", _values),
    "flat settings": ("yaml", _flat),
    "list of names": ("yaml", _list),
    "prometheus rules": ("yaml", _prometheus),
}
