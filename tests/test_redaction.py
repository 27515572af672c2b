"""Secrets by key name and by shape, what is none, excerpts, escapes, and a property over every syntax."""

from __future__ import annotations

import json
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvaudit.redaction import EXCERPT_LIMIT, Redactor, escape

SECRET = "Zq81LkWw90aXcPd7"  # noqa: S105 - invented
OTHER = "m4Tn2RbYvE6sHu0K"

NAMED = [
    # launch arguments as vLLM and SGLang print them
    ("non-default args: {{'model': 'acme/a', 'api_key': ['{}'], 'port': 8000}}", "'api_key': ['<secret-1>'], 'port': 8000"),
    ("ServerArgs(host='0.0.0.0', api_key='{}', tp_size=1)", "api_key='<secret-1>', tp_size=1"),
    ("Namespace(api_key=['{}'], seed=0)", "api_key=['<secret-1>'], seed=0"),
    ("args: {{'hf_token': '{}', 'seed': 0}}", "'hf_token': '<secret-1>', 'seed': 0"),
    ("api_key=SecretStr('{}'), seed=0", "SecretStr('<secret-1>'), seed=0"),
    ("api_key=('{}',), seed=0", "('<secret-1>',), seed=0"),
    ("api_key=b'{}', seed=0", "b'<secret-1>', seed=0"),
    # command lines
    ("vllm serve acme/a --api-key {} --port 8000", "--api-key <secret-1> --port 8000"),
    ("vllm serve acme/a --api-key={} --port 8000", "--api-key=<secret-1> --port 8000"),
    ("--ssl-keyfile-password '{}' --port 8000", "'<secret-1>' --port 8000"),
    ('command: ["serve", "--api-key", "{}", "--port"]', '"--api-key", "<secret-1>", "--port"'),
    ('--admin-api-key "{}" -v', '"<secret-1>" -v'),
    ("hf auth login --token {}", "--token <secret-1>"),
    # environment
    ("export HF_TOKEN={}", "HF_TOKEN=<secret-1>"),
    ('ENV VLLM_API_KEY="{}"', 'VLLM_API_KEY="<secret-1>"'),
    ("HUGGING_FACE_HUB_TOKEN: {}", "HUGGING_FACE_HUB_TOKEN: <secret-1>"),
    ("ENV WANDB_API_KEY {}", "WANDB_API_KEY <secret-1>"),
    ("AWS_SECRET_ACCESS_KEY  =  {}", "AWS_SECRET_ACCESS_KEY  =  <secret-1>"),
    ("PGPASSWORD={} psql", "PGPASSWORD=<secret-1> psql"),
    ('{{"name": "HF_TOKEN", "value": "{}"}}', '"name": "HF_TOKEN", "value": "<secret-1>"'),
    ("- name: HF_TOKEN\n  value: {}\n", "- name: HF_TOKEN\n  value: <secret-1>\n"),
    # headers
    ("Authorization: Bearer {}", "Authorization: Bearer <secret-1>"),
    ("'Authorization': 'Bearer {}'", "'Authorization': 'Bearer <secret-1>'"),
    ("headers={{'Authorization': '{}'}}", "'Authorization': '<secret-1>'"),
    ("X-Api-Key: {}", "X-Api-Key: <secret-1>"),
    ("curl -u basic {}==", "basic <secret-1>"),
    # JSON, also JSON inside JSON
    ('{{"password": "{}", "port": 1}}', '"password": "<secret-1>", "port": 1'),
    ('{{"log": "{{\\"password\\": \\"{}\\"}}"}}', '\\"password\\": \\"<secret-1>\\"'),
    ("clientSecret: {}", "clientSecret: <secret-1>"),
    ("the password is {}", "password is <secret-1>"),
    ("GET /v1/models?api_key={}&limit=5", "api_key=<secret-1>&limit=5"),
    # names that only mean a secret where the value looks like one
    ("token={}", "token=<secret-1>"),
    ("'my_token': '{}'", "'my_token': '<secret-1>'"),
    ("admin_key: {}", "admin_key: <secret-1>"),
]


@pytest.mark.parametrize(("text", "kept"), NAMED)
def test_a_secret_by_its_name(text: str, kept: str, redactor: Redactor) -> None:
    masked = redactor.mask(text.format(SECRET))
    assert SECRET not in masked
    assert kept in masked


SHAPED = [
    f"hf_{SECRET}",
    f"sk-{SECRET}",
    f"sk-proj-{SECRET}",
    f"ghp_{SECRET}{OTHER}",
    f"github_pat_{SECRET}{OTHER}",
    f"glpat-{SECRET}",
    f"xoxb-{SECRET}",
    "AKIA" + "QW3RT7ZU1OP5ASD9",
    f"nvapi-{SECRET}{OTHER}",
    f"AIza{SECRET}{OTHER}",
    f"eyJhbGciOiJIUzI1.{SECRET}.{OTHER}",
]


@pytest.mark.parametrize("secret", SHAPED)
def test_a_secret_by_its_shape(secret: str, redactor: Redactor) -> None:
    assert redactor.mask(f"loaded {secret}, go on") == "loaded <secret-1>, go on"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("postgres://user:{}@db.example:5432/x", "postgres://<secret-1>@db.example:5432/x"),
        ("redis://:{}@db:6379", "redis://<secret-1>@db:6379"),
        ("git+https://{}@github.com/acme/a", "git+https://<secret-1>@github.com/acme/a"),
        ("https://user:a@{}@host/x", "https://<secret-1>@host/x"),
    ],
)
def test_logins_of_addresses(text: str, masked: str, redactor: Redactor) -> None:
    assert redactor.mask(text.format(SECRET)) == masked


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens=100, max_token 5, tokens: 5",
        "pad_token: <pad>, bos_token='<s>', eos_token_id=151645",
        "ignore_eos_token=True",
        "api_key=None, 'hf_token': None, auth_token: null, use_auth_token=False",
        "api_key=[], api_key=[''], api_key=[None]",
        "HF_TOKEN=",
        "GPU KV cache size: 268,624 tokens",
        "Maximum concurrency for 32,768 tokens per request: 8.20x",
        "'kv_cache.tokens': 268624",
        "max_num_batched_tokens=8192, session_token_limit=5, id_token_count=5, valid_token: 7",
        "HF_TOKEN is not set. Set HF_TOKEN to enable higher rate limits",
        "password authentication is off, basic authentication too",
        "a --api-key is required, give --api-key --port 8000",
        "Authorization: none",
        "http://192.0.2.10:8000/v1, tcp://192.0.2.10:41873, http://a:b/c@d",
        "sk-learn, hf_transfer_enabled, ssl_keyfile=None, tokenizer='acme/a', kv_cache_key: x",
        "token: Boreal, key: model.layers.0.self_attn",
    ],
)
def test_what_is_no_secret(text: str, redactor: Redactor) -> None:
    assert redactor.mask(text) == text


def test_equal_secrets_get_equal_ordinals_in_every_syntax(redactor: Redactor) -> None:
    text = f"--api-key {SECRET} HF_TOKEN='{OTHER}' 'api_key': ['{SECRET}'] Authorization: Bearer {SECRET}"
    assert redactor.mask(text) == (
        "--api-key <secret-1> HF_TOKEN='<secret-2>' 'api_key': ['<secret-1>'] Authorization: Bearer <secret-1>"
    )
    assert redactor.mask(f"password={OTHER}") == "password=<secret-2>"
    assert redactor.document({"api_key": SECRET}) == {"api_key": "<secret-1>"}


def test_every_key_of_a_list_is_masked(redactor: Redactor) -> None:
    assert redactor.mask(f"'api_key': ['{SECRET}', '{OTHER}']") == "'api_key': ['<secret-1>', '<secret-2>']"
    assert redactor.mask(f"--api-key {SECRET} {OTHER} --port 80") == "--api-key <secret-1> <secret-2> --port 80"


def test_another_call_counts_from_one_again() -> None:
    assert Redactor().mask(f"api_key={OTHER}") == Redactor().mask(f"api_key={SECRET}") == "api_key=<secret-1>"


@pytest.mark.parametrize(("text", "_kept"), NAMED)
def test_nothing_is_masked_twice(text: str, _kept: str, redactor: Redactor) -> None:
    once = redactor.mask(text.format(SECRET))
    assert redactor.mask(once) == once
    assert redactor.document({"api_key": once.partition("<secret")[1] + "-1>"}) == {"api_key": "<secret-1>"}


def test_documents_by_key_by_shape_and_by_neighbour(redactor: Redactor) -> None:
    held: dict[str, Any] = {
        "api_key": [SECRET, None, "None"],
        "nested": {"HF_TOKEN": SECRET, "list": [{"password": SECRET}]},
        "credentials": {"primary": SECRET},
        "command": ["vllm", "serve", "--api-key", SECRET, "--port", "8000"],
        "env": [{"name": "WANDB_API_KEY", "value": SECRET}, f"OPENAI_API_KEY={SECRET}"],
        "text": f"Bearer {SECRET}",
        "password": 4711_0815,
        f"header hf_{SECRET}": 1,
        "max_tokens": 4096,
        "tokens": 268_624,
        "api_token": None,
        "use_auth_token": True,
    }
    masked = redactor.document(held)
    written = json.dumps(masked)
    assert SECRET not in written
    assert "47110815" not in written
    assert masked["command"] == ["vllm", "serve", "--api-key", "<secret-1>", "--port", "8000"]
    assert masked["env"] == [{"name": "WANDB_API_KEY", "value": "<secret-1>"}, "OPENAI_API_KEY=<secret-1>"]
    assert masked["api_key"] == ["<secret-1>", None, "None"]
    assert (masked["max_tokens"], masked["tokens"]) == (4096, 268_624)
    assert (masked["api_token"], masked["use_auth_token"]) == (None, True)


def test_a_document_is_not_changed_in_place(redactor: Redactor) -> None:
    held = {"api_key": [SECRET]}
    redactor.document(held)
    assert held == {"api_key": [SECRET]}


@pytest.mark.parametrize("filler", [0, 60, 120, 170, 195, 400, 40_000, 70_000])
def test_the_cut_of_an_excerpt_never_separates_name_and_value(filler: int, redactor: Redactor) -> None:
    line = f"{'x' * filler} api_key='{SECRET}' {'y' * filler}"
    for position in range(0, len(line), max(1, len(line) // 150)):
        excerpt = redactor.excerpt(line, position)
        assert SECRET[:6] not in excerpt
        assert SECRET[-6:] not in excerpt
        assert len(excerpt) <= EXCERPT_LIMIT


def test_an_excerpt_shows_the_match_although_masks_moved_it(redactor: Redactor) -> None:
    line = f"{f'--api-key {SECRET * 4} ' * 10}kv_cache_dtype=auto {'z ' * 300}"
    assert "kv_cache_dtype=auto" in redactor.excerpt(line, line.index("kv_cache_dtype"))


@pytest.mark.parametrize("position", [0, 5, 150, 300, 398])
def test_an_excerpt_is_200_characters_at_most_and_says_where_it_was_cut(position: int, redactor: Redactor) -> None:
    line = "".join(f"{number:04d}" for number in range(100))
    excerpt = redactor.excerpt(line, position)
    assert 198 <= len(excerpt) <= EXCERPT_LIMIT == 200
    assert line[position - position % 4 :][:4] in excerpt
    assert (excerpt.startswith("…"), excerpt.endswith("…")) == (position > 66, position < 268)


def test_the_limit_is_exact(redactor: Redactor) -> None:
    assert redactor.excerpt("a" * 200) == "a" * 200
    assert len(redactor.excerpt("\u202e" * 500)) == EXCERPT_LIMIT


def test_a_line_of_five_megabytes_ends(redactor: Redactor) -> None:
    line = "a=b, " * 1_000_000 + f"api_key={SECRET}"
    assert redactor.excerpt(line, len(line) - len(SECRET)).endswith("api_key=<secret-1>")
    assert redactor.excerpt(line, 7).startswith("a=b, a=b")


@pytest.mark.parametrize("unit", ["api_key=", "'", "\\", "--api-key ", "api_key=[", "://a:", "token=", "é", "<secret-"])
def test_hostile_repetition_ends(unit: str, redactor: Redactor) -> None:
    assert len(redactor.excerpt(unit * (1 << 16), 30_000)) <= EXCERPT_LIMIT


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("a\tb\nc\r", "a\\x09b\\x0ac\\x0d"),
        ("\x00\x7f\x85\x9b", "\\x00\\x7f\\x85\\x9b"),
        ("\u202egnp.exe\u2066", "\\u202egnp.exe\\u2066"),
        ("a\u200bb\u200dc\ufeffd\u00ad", "a\\u200bb\\u200dc\\ufeffd\\xad"),
        ("\u2028\u2029", "\\u2028\\u2029"),
        ("\ud800\ue000", "\\ud800\\ue000"),
        ("\U000e0041", "\\U000e0041"),
        ("×÷…é模型 █▄", "×÷…é模型 █▄"),
        ("[bold]not markup[/] <b>&", "[bold]not markup[/] <b>&"),
    ],
)
def test_escapes(raw: str, shown: str) -> None:
    assert escape(raw) == shown
    assert escape(shown) == shown


def test_keys_and_values_of_documents_are_escaped(redactor: Redactor) -> None:
    assert redactor.document({"a\x1b": ["b\u202e"]}) == {"a\\x1b": ["b\\u202e"]}


FULL = [
    ("--host gpu-07 --port 8000", "--host <secret-1> --port 8000"),
    ("host='gpu-07', port=8000", "host='<secret-1>', port=8000"),
    ("tcp://192.0.2.10:41873", "tcp://<secret-1>:41873"),
    ("http://gpu07:8000/metrics", "http://<secret-1>:8000/metrics"),
    ("http://[2001:db8::7]:8000/", "http://[<secret-1>]:8000/"),
    ("from 192.0.2.21:50514", "from <secret-1>:50514"),
    ("peer fe80::1 left", "peer <secret-1> left"),
    ("node07.cluster.internal is up", "<secret-1> is up"),
    ("mail alice@example.org", "mail <secret-1>"),
    ("ssh bob@gpu-07", "ssh <secret-1>"),
    ("user=alice", "user=<secret-1>"),
    ("cache /home/alice/.cache/vllm used", "cache <secret-1> used"),
    ("model='/models/acme/a'", "model='<secret-1>'"),
    ("file:///srv/runs/a.log", "file://<secret-1>"),
    ("~/runs/a.log", "<secret-1>"),
    ("C:\\Users\\alice\\a.log", "<secret-1>"),
]


@pytest.mark.parametrize(("text", "masked"), FULL)
def test_level_full_also_masks_hosts_addresses_users_and_paths(text: str, masked: str) -> None:
    assert Redactor("full").mask(text) == masked
    assert Redactor().mask(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "INFO 06-12 09:12:13 [core.py:114] vLLM 0.25.1, driver 570.86.15",
        "model='acme/Atlas-13B', kv_cache_dtype=auto, runs/a/server.log:12",
        "POST /v1/completions HTTP/1.1 200, 80/100 GiB/s",
        "bus 00000000:01:00.0, VLLM::Worker_TP0, torch::jit, torch.distributed.run",
        "see https://docs.vllm.ai/en/latest/ and https://github.com/vllm-project/vllm",
        "GPU KV cache size: 268,624 tokens; host memory 64 GiB",
    ],
)
def test_level_full_leaves_evidence_readable(text: str) -> None:
    assert Redactor("full").mask(text) == text


def test_level_full_in_documents() -> None:
    redactor = Redactor("full")
    masked = redactor.document({"host": "gpu-07", "args": {"user": "alice"}, "path": "/srv/runs/a", "seed": 0, "api_key": SECRET})
    assert masked == {
        "host": "<secret-1>",
        "args": {"user": "<secret-2>"},
        "path": "<secret-3>",
        "seed": 0,
        "api_key": "<secret-4>",
    }


KEY_NAMES = [
    "api_key",
    "hf_token",
    "password",
    "openai_api_key",
    "secret_key",
    "access-token",
    "X-Api-Key",
    "HF_TOKEN",
    "DB_PASSWORD",
]
SYNTAXES = [
    "{name}={secret}",
    "{name}='{secret}', port=1",
    '{{"{name}": "{secret}"}}',
    "{{'{name}': ['{secret}']}}",
    "{name}: {secret}",
    "{name} = {secret}",
    "--{name} {secret} --port 1",
    "--{name}={secret}",
    "['--{name}', '{secret}']",
    "?{name}={secret}&x=1",
    '{{\\"{name}\\": \\"{secret}\\"}}',
    "\x1b[36m{name}\x1b[0m=\x1b[35m{secret}\x1b[0m",
]


@pytest.mark.parametrize("name", KEY_NAMES)
@pytest.mark.parametrize("syntax", SYNTAXES)
def test_every_name_in_every_syntax(name: str, syntax: str, redactor: Redactor) -> None:
    assert redactor.mask(syntax.format(name=name, secret=SECRET)) == syntax.format(name=name, secret="<secret-1>")  # noqa: S106 - a mask


SAFE = string.ascii_letters + string.digits + "_-"
secrets = st.text(SAFE, min_size=12, max_size=64).filter(lambda text: text[0].isalnum())


@given(secrets, st.sampled_from(KEY_NAMES), st.sampled_from(SYNTAXES), st.integers(0, 400), st.integers(0, 900))
def test_no_secret_gets_through(secret: str, name: str, syntax: str, filler: int, position: int) -> None:
    line = f"{'x' * filler} {syntax.format(name=name, secret=secret)} {'y' * 300}"
    written = (
        Redactor().mask(line),
        Redactor().excerpt(line, min(position, len(line))),
        Redactor().document({"a": [line]})["a"][0],
    )
    assert not any(secret in text for text in written)
    assert secret not in json.dumps(Redactor().document({"a": {name: [secret, {"b": secret}]}, "c": [f"--{name}", secret]}))
