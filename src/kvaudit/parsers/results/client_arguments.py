"""The arguments of the vLLM and SGLang clients, as their own files and logs repeat them, become quantities.

Room: `parsers.results`. Every dataset has options of its own and the dump holds those of all datasets with their defaults: only
the options of the dataset in use mean anything. `ignore_eos` is no statement where the client forces it (vLLM: `random`).
"""

from __future__ import annotations

from typing import Any

from kvaudit.parsers.results.figures import Draft, Key, at, number, text

_PLAIN: dict[str, str] = {
    "requests": "num_prompts",
    "request_rate": "request_rate",
    "burstiness": "burstiness",
    "max_concurrency": "max_concurrency",
    "dataset": "dataset_name",
    "seed": "seed",
    "temperature": "temperature",
    "top_p": "top_p",
    "choices": "n",
    "warmups": "num_warmups",
}
_RANDOM = {"input_length": "random_input_len", "output_length": "random_output_len", "prefix_length": "random_prefix_len"}
OF_DATASET: dict[str, dict[str, str]] = {
    "random": _RANDOM,
    "random-ids": _RANDOM,
    "random-mm": _RANDOM,
    "random-rerank": _RANDOM,
    "sonnet": {"input_length": "sonnet_input_len", "output_length": "sonnet_output_len", "prefix_length": "sonnet_prefix_len"},
    "sharegpt": {"output_length": "sharegpt_output_len"},
    "custom": {"output_length": "custom_output_len"},
    "hf": {"output_length": "hf_output_len"},
    "spec_bench": {"output_length": "spec_bench_output_len"},
    "prefix_repetition": {"output_length": "prefix_repetition_output_len", "prefix_length": "prefix_repetition_prefix_len"},
    "generated-shared-prefix": {
        "input_length": "gsp_question_len",
        "output_length": "gsp_output_len",
        "prefix_length": "gsp_system_prompt_len",
    },
}
"""Dataset to the options that say its lengths (vLLM 0.6 to 0.33, SGLang 0.3 to 0.5.23)."""
_GENERAL = {"input_length": "input_len", "output_length": "output_len"}
"""Newer options of vLLM that win over those of the dataset."""
FORCED = frozenset({"random", "random-mm", "timed_trace"})
"""Datasets for which vLLM's client ignores the end of the sequence by itself."""


def take_arguments(run: Draft, *below: Key) -> None:
    """Hold what the arguments in the object below some keys say."""
    dataset = text(at(run.root, *below, "dataset_name"))
    for name, key in _PLAIN.items():
        run.take(name, *below, key)
    run.take("endpoint", *below, "backend") or run.take("endpoint", *below, "endpoint_type")
    for name, key in (*_GENERAL.items(), *of_dataset(dataset).items()):
        length: Any = at(run.root, *below, key)
        if number(length) is not None and not (name == "prefix_length" and length == 0):
            run.take(name, *below, key)
    eos = at(run.root, *below, "ignore_eos")
    if eos is True or dataset not in FORCED:
        run.take("ignore_eos", *below, "ignore_eos")


def of_dataset(dataset: str | None) -> dict[str, str]:
    """Quantity to option for a dataset."""
    return OF_DATASET.get(dataset or "", {})
