"""Values without quotes reach to the next blank; what closes the sentence or begins the next setting stays.

Whether `,name=` begins one is told by what stands before the name of the secret; where that says nothing, it is the secret's.
"""

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

TAILS = [
    ("--api-key x,y=z --port 1", "--api-key <secret-1> --port 1"),
    ("--api-key=x&y=z --port 1", "--api-key=<secret-1> --port 1"),
    ("'--api-key=x,y=z' --port 1", "'--api-key=<secret-1>' --port 1"),
    ('["--api-key=x,y=z", "--port"]', '["--api-key=<secret-1>", "--port"]'),
    ("password=ab,c=d", "password=<secret-1>"),
    ("host=db password=ab,c=d&e=f user=x", "host=db password=<secret-1> user=x"),
    ("env: DB_PASSWORD=ab,c=d,OTHER_TOKEN=zz,n=1", "env: DB_PASSWORD=<secret-1>,OTHER_TOKEN=<secret-2>"),
    ("Server=db;Password=ab,c=d;Database=y", "Server=db;Password=<secret-1>;Database=y"),
    ('"Server=db;Password=ab,c=d;Database=y"', '"Server=db;Password=<secret-1>;Database=y"'),
    ("Password=ab,c=d;Database=y", "Password=<secret-1>;Database=y"),
    ("GET /v1?api_key=ab,c=d&limit=5 200", "GET /v1?api_key=<secret-1>&limit=5 200"),
    ("GET /v1?a=1&api_key=ab,c=d&limit=5 200", "GET /v1?a=1&api_key=<secret-1>&limit=5 200"),
    ("A_TOKEN=x&&B=1 serve", "A_TOKEN=<secret-1>&&B=1 serve"),
    ("docker login -u a -p ab,c=d host", "docker login -u a -p <secret-1> host"),
    ('"DB_PASSWORD=ab c,d=e" x', '"DB_PASSWORD=<secret-1>" x'),
    ("'DB_PASSWORD=my pass phrase' x", "'DB_PASSWORD=<secret-1>' x"),
    ('"DB_PASSWORD=ab\\"cd,e=f" x', '"DB_PASSWORD=<secret-1>" x'),
    ('{"log":"\\"HF_TOKEN=ab c,d=e\\" x\\n"}', '{"log":"\\"HF_TOKEN=<secret-1>\\" x\\n"}'),
    ('"DB_PASSWORD=hunter2 --port 8000"', '"DB_PASSWORD=<secret-1> --port 8000"'),
    ('"password=hunter2 user=bob host=db"', '"password=<secret-1> user=bob host=db"'),
    ("    DB_PASSWORD: correct horse battery # mine", "    DB_PASSWORD: <secret-1> # mine"),
    ("password = correct horse battery", "password = <secret-1>"),
    ("DB_PASSWORD=ab'cd,e=f serve", "DB_PASSWORD=<secret-1> serve"),
    ("password: 'ab''cd,e=f'", "password: '<secret-1>'"),
    ("PASSWORD=\"ab\"'cd' psql", 'PASSWORD="<secret-1> psql'),
    ("curl -u 'anna:ab cd' http", "curl -u '<secret-1>' http"),
    ("curl -H 'X-Api-Key: kestrel falcon' http", "curl -H 'X-Api-Key: <secret-1>' http"),
    ('curl -H "Authorization: Bearer kestrel123,q=falcon"', 'curl -H "Authorization: Bearer <secret-1>"'),
    ('curl -H "Authorization: Bearer $KEY" x', 'curl -H "Authorization: Bearer $KEY" x'),
    ("--password=kestrel\\ falcon --port 1", "--password=<secret-1> --port 1"),
    ("mysql -u root -pkestrel runs", "mysql -u root -p<secret-1> runs"),
    ("redis-cli -h db -a kestrel,q=1 ping", "redis-cli -h db -a <secret-1> ping"),
    ("<password>kestrel falcon</password>", "<password><secret-1></password>"),
    ('<add key="ApiKey" value="kestrel,q=falcon"/>', '<add key="ApiKey" value="<secret-1>"/>'),
    ("hf_token: >-", "hf_token: >-"),
    ("HF_TOKEN=None,seed=0", "HF_TOKEN=None,seed=0"),
    ('"HF_TOKEN=None, seed=0"', '"HF_TOKEN=None, seed=0"'),
    ('{"hf_token":null,"port":80}', '{"hf_token":null,"port":80}'),
    ('{"msg":"start HF_TOKEN=abc","port":80}', '{"msg":"start HF_TOKEN=<secret-1>","port":80}'),
    ('bash -c "HF_TOKEN=abc"; echo "x"', 'bash -c "HF_TOKEN=<secret-1>"; echo "x"'),
    ("password: authentication failed for user bob", "password: authentication failed for user bob"),
]


@pytest.mark.parametrize(("text", "masked"), VALUES + TAILS)
def test_where_a_value_ends(text: str, masked: str) -> None:
    assert Redactor().mask(text) == masked
    assert Redactor().mask(masked) == masked


def test_a_key_block_of_several_lines_is_masked_as_a_whole_and_line_by_line() -> None:
    body = "\n".join("q7Z" + "Ab3/" * 15 + "x" for _ in range(4))
    block = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"
    assert Redactor().document({"env": [block]})["env"] == ["<secret-1>"]
    assert all("q7Z" not in Redactor().mask(line) for line in block.split("\n"))


@pytest.mark.parametrize(
    "unit",
    [
        *("api_key=a,", "A_TOKEN=x,", "-u a:b ", "-----BEGIN PRIVATE KEY-----", "Cookie: a=b; ", "token=(", "$2b$12$"),
        *("A_KEY=a,b=c", ",b=c", "'A_KEY=a b", '"A_KEY=a\\\\', "A_KEY='a''b", "A_KEY=a'b", "A_KEY: a b\n", "-u 'a:b c", "\\"),
    ],
)
def test_repetition_costs_in_proportion(unit: str) -> None:
    import time

    def cost(length: int) -> float:
        text = "DB_PASSWORD=a" + unit * (length // len(unit))
        started = time.process_time()
        Redactor().mask(text)
        return time.process_time() - started

    cost(1 << 10)
    small, large = min(cost(1 << 13) for _ in range(3)), min(cost(1 << 16) for _ in range(3))
    assert large < 8 * 4 * small + 0.2
