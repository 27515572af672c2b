"""Values without quotes reach to the next blank; what closes the sentence or begins the next setting stays."""

from __future__ import annotations

import pytest

from kvaudit.redaction import Redactor

VALUES = [
    ("HF_TOKEN=p,a)ss&word serve", "HF_TOKEN=<secret-1> serve"),
    ("password: p@ss,w0rd)x, port: 1", "password: <secret-1>, port: 1"),
    ("--api-key a,b;c --port 1", "--api-key <secret-1> --port 1"),
    ("(api_key=kestrel)", "(api_key=<secret-1>)"),
    ("{api_key: kestrel}", "{api_key: <secret-1>}"),
    ("f(seed=0,api_key=kestrel,tp=2)", "f(seed=0,api_key=<secret-1>,tp=2)"),
    ("GET /v1?api_key=kestrel&limit=5 200", "GET /v1?api_key=<secret-1>&limit=5 200"),
    ("--export=ALL,HF_TOKEN=kestrel,WANDB_API_KEY=merlin,N=1", "--export=ALL,HF_TOKEN=<secret-1>,WANDB_API_KEY=<secret-2>,N=1"),
    ("A_TOKEN=kestrel;B_TOKEN=kestrel;", "A_TOKEN=<secret-1>;B_TOKEN=<secret-1>;"),
    ("api_key=None,seed=0", "api_key=None,seed=0"),
    ("'api_key':None,'seed':0", "'api_key':None,'seed':0"),
    ("api_key='kest", "api_key='<secret-1>"),
    ('{"api_key": ["kest', '{"api_key": ["<secret-1>'),
    ("api_key=SecretStr('a(b)c'), tp=1", "api_key=SecretStr('<secret-1>'), tp=1"),
    ("api_key=['a]b', 'c[d'], tp=1", "api_key=['<secret-1>', '<secret-2>'], tp=1"),
    ("docker run -u 1000:1000 --user 1000:100 x", "docker run -u 1000:1000 --user 1000:100 x"),
    ("curl -u http://gpu-07:8000/", "curl -u http://gpu-07:8000/"),
    ("auth: basic, auth=True, auth: user", "auth: basic, auth=True, auth: user"),
    ("cookie: no, cookies are off", "cookie: no, cookies are off"),
    ("sha256 " + "0123456789abcdef" * 4, "sha256 " + "0123456789abcdef" * 4),
]


@pytest.mark.parametrize(("text", "masked"), VALUES)
def test_where_a_value_ends(text: str, masked: str) -> None:
    assert Redactor().mask(text) == masked
    assert Redactor().mask(masked) == masked


def test_a_key_block_of_several_lines_is_masked_as_a_whole_and_line_by_line() -> None:
    body = "\n".join("q7Z" + "Ab3/" * 15 + "x" for _ in range(4))
    block = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"
    assert Redactor().document({"env": [block]})["env"] == ["<secret-1>"]
    assert all("q7Z" not in Redactor().mask(line) for line in block.split("\n"))


@pytest.mark.parametrize(
    "unit", ["api_key=a,", "A_TOKEN=x,", "-u a:b ", "-----BEGIN PRIVATE KEY-----", "Cookie: a=b; ", "token=(", "$2b$12$"]
)
def test_repetition_costs_in_proportion(unit: str) -> None:
    import time

    def cost(length: int) -> float:
        text = unit * (length // len(unit))
        started = time.process_time()
        Redactor().mask(text)
        return time.process_time() - started

    cost(1 << 10)
    small, large = min(cost(1 << 13) for _ in range(3)), min(cost(1 << 16) for _ in range(3))
    assert large < 8 * 4 * small + 0.2
