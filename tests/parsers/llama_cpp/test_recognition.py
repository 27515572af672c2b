"""What is a llama.cpp log, what is Ollama's, and what only quotes one; quoted text proves nothing."""

from __future__ import annotations

import json

import pytest

from tests.parsers.engine_logs import values
from tests.parsers.llama_cpp.logs import LLAMA_CPP, OLLAMA, SERVING, begun, cache, context, log, read, source_of

WHOLE = log(*begun(), *context(), *cache(), *SERVING)
SERVE = 'time=2026-02-11T09:30:01Z level=INFO source=routes.go:1607 msg="Listening on 127.0.0.1:11434 (version 0.13.2)"'


def test_a_log_is_recognised_in_every_wrapper() -> None:
    for prefix in ("", "llama-1  | ", "Nov 25 10:03:07 host llama-server[123]: ", "0.00.150.365 I ", "\x1b[32m"):
        text = "".join(f"{prefix}{line}\n" for line in WHOLE.splitlines())
        assert LLAMA_CPP.recognises(source_of(text)) >= 0.8, prefix


@pytest.mark.parametrize(
    "prefix", ["llama-1  | ", "Nov 25 10:03:07 host llama-server[123]: ", "2026-05-14 22:14:31.071 | ", "12:"]
)
def test_wrapped_lines_read_like_bare_ones(prefix: str) -> None:
    (start,) = read(*(f"{prefix}{line}" for line in WHOLE.splitlines())).starts
    assert start.ready is True
    assert values(start, "kv_cache.tokens") == [16_384]
    assert values(start, "engine.version") == ["7811 (3f9ac2d41)"]


def test_ollama_wins_where_its_server_speaks() -> None:
    source = source_of(f"{SERVE}\n{WHOLE}")
    assert OLLAMA.recognises(source) > LLAMA_CPP.recognises(source) > 0.5


@pytest.mark.parametrize(
    "text",
    [
        "error: invalid argument: --log-jsonl\n",
        "EXC RuntimeError('Failed to init server, please check the input params.')\n",
        json.dumps({"notes": WHOLE}),
        f"# How to\n\n```\n{WHOLE}```\n\n## More\n\ntext\n\n### And more\n",
        "INFO 03-14 09:26:53 [core.py:10] Initializing a V1 LLM engine (v0.24.0) with config: model='acme/tiny-llama'\n",
    ],
)
def test_what_is_no_log_of_the_engine(text: str) -> None:
    assert LLAMA_CPP.recognises(source_of(text)) == 0.0
    assert OLLAMA.recognises(source_of(text)) == 0.0


def test_a_refused_argument_is_told_by_the_usage_text() -> None:
    text = 'error while handling argument "-ctk": Unsupported cache type: turbo3\n\nusage:\n (env: LLAMA_ARG_CACHE_TYPE_K)\n'
    assert LLAMA_CPP.recognises(source_of(text)) == 0.8


def test_text_of_clients_proves_nothing() -> None:
    quoted = cache(kind="q8_0")[1]
    start = read(
        *begun(),
        *context(),
        f'srv  log_server_r: request:  {{"prompt":"{quoted}"}}',
        f"W common_chat_peg_parse: unparsed Content-only output: {quoted}",
    ).starts[0]
    assert values(start, "kv_cache.dtype") == []


def test_a_cut_last_line_feeds_no_number() -> None:
    text = log(*begun()) + "llama_context: n_ctx_seq     = 163"
    (start,) = LLAMA_CPP.read(source_of(text)).starts
    assert values(start, "model.max_len") == []
    (start,) = LLAMA_CPP.read(source_of(text + "84\n")).starts
    assert values(start, "model.max_len") == [16_384]


@pytest.mark.parametrize(
    "line",
    [
        "{" * 5000,
        '{"msg": 5}',
        '{"msg": "x", "build": NaN}',
        "llama_kv_cache: size = 1e9999 MiB (9 cells, 9 layers), K (f16): 1 MiB, V (f16): 1 MiB",
        "llama_context: n_ctx_seq     = " + "9" * 400,
        "common_params_print_info: verbosity = " + "9" * 400 + " (adjust with",
        "llama_kv_cache: size = 1.0.0 MiB ( 4096 cells,  4 layers,  1/1 seqs), K (f16): 1.00 MiB, V (f16): 1.00 MiB",
        "llama_kv_cache: size = 1.00 MiB (" + "9" * 400 + " cells,  4 layers,  1/1 seqs), K (f16): 1.00 MiB, V (f16): 1.00 MiB",
        "load_tensors:        CUDA0 model buffer size =  ..... MiB",
        "print_info: file size   = 4..6 GiB (4.94 BPW)",
        "using device CUDA0 (x) - " + "9" * 400 + " MiB free",
        "srv          load: spawning server instance with name=x on port 99999",
    ],
)
def test_hostile_lines_crash_nothing(line: str) -> None:
    reading = read(*begun(), *context(), line, *cache(), *SERVING)
    assert reading.starts[-1].ready is True
