"""Conditions in words: what a rule looks at, as people say it.

Room: `audit`. A table of sentences by predicate; a test asks for one sentence per predicate.
"""

from __future__ import annotations

from typing import Any

from kvaudit.audit.rules import Condition

SENTENCES: dict[str, str] = {
    "equals": "{field} is {value}",
    "one_of": "{field} is one of {values}",
    "matches": "{field} matches the pattern {pattern}",
    "at_most": "{field} is at most {value}",
    "at_least": "{field} is at least {value}",
    "present": "{field} is known and set",
    "absent": "{field} is proven not to be set",
    "undecided": "{field} is not settled by the evidence",
    "requirement_unmet": "a value that the policy requires is known to be another",
    "conflicts": "equally strong evidence says different values of {field}",
    "undeclared": "nothing in the launch asked for {field}",
    "overridden": "{field} as {stage} is not the value that holds",
    "narrower_than": "{field} has fewer than {bits} bits per element",
    "notice": "the engine gave the notice {code}",
    "exceeds": "{field} is larger than {other}",
    "count_over": "more than {count} items of {field} have {key} {values}",
    "any_item_over": "one item of {field} is larger than {value}",
    "any_item_of": "{field} holds one of {values}",
    "kv_pool_below_budget": (
        "the KV memory is below {share} of utilization × device memory − weights, and more than {slack} of the device is missing"
    ),
    "load_over_concurrency": "more requests were in flight than the pool holds at full length",
    "failed_starts": "at least {count} starts in a row failed for the same cause",
    "tenant_on_run_gpu": "a process of class {classes} sits on a GPU of the run ({placed})",
    "tenants_hold_under": "processes of class {classes} cost, or else hold, less than {share} of the KV pool's memory",
    "more_own_processes_than_gpus": "more engine processes are seen on a GPU, or in all, than the run can have",
    "reachable_address": "the server can be reached from other hosts",
    "restarts_for_ever": "the restart policy never comes to an end at the measured time to crash, or its limit is not read",
    "service_state": "the service manager shows one of the states {values}",
    "holds_items": "{field} holds at least one item",
    "empty_argument": "an argument of the launch command is empty, or an unset variable left nothing of it",
    "gpu_condition": "the snapshot says of a GPU one of {kinds}",
    "tenants_differ": "the processes of class {classes} differ by name and number",
    "differs": "at least one of {fields} differs beyond its tolerance and is not under test",
    "same": "{fields} are known and equal on both arms",
    "differs_undeclared": "one of {fields} differs and was typed on neither arm",
    "default_moved": "a setting that nobody typed differs just as the engine's default does between the two releases",
    "relative_gap_from": "1 − min ÷ max of {field} is {value} or more",
    "points_from": "{field} differs by {value} or more",
    "axes_over": "more than {count} settings of error impact differ that follow from nothing else",
    "weights_and_settings_differ": "the model or its weights differ, and so does a setting that does not follow from them",
    "meaning_differs": "{field} counts something else in the two engines or versions",
    "no_other_meaning": "nothing shows that {field} counts something else on the two arms",
    "kinds_differ": "the distinct items of {field} differ",
    "only_one_arm": "{field} is set on one arm and proven not set on the other",
    "figures_disagree": "two figures of the results that must agree do not",
    "tokens_are_events": "output tokens of the results, or figures beside them, are stream events ({certainty})",
    "no_steady_state": "a run is short, did not reach the load that it offered, or offered more than the server takes",
    "hits_on_unique_prompts": "the prompts were meant to be unique, and {value} of them or more came from the prefix cache",
    "first_run_slower": "of runs with the same prompts the first waited much longer for its first tokens than all others",
    "one_load_two_speeds": "two runs of one load on one server differ in throughput by more than half",
    "one_shape_only": "several runs were measured, and none is prefill-heavy or none is decode-heavy",
    "row_label_lacks": "the evidence does not name both the weights and the settings that were measured",
    "answers_cut": "{share} of the answers or more ended at the length limit, where that was not the aim",
    "cut_more_than_the_other": "the share of answers cut differs from that of the other arm by more than {points}",
    "fewer_runs_than": "an arm holds fewer than {count} runs at every load that both measured",
    "answer_lengths_differ": "the mean answers of the arms differ in length by {share} or more",
    "gate_decides": "the acceptance gate says {decisions}",
    "slow_and_stable": "arm b varies less than arm a and is below the performance floor",
    "combination_no_better": "the combination does not beat its best single change",
}

_HEADS = {
    "all": "all of",
    "any": "at least one of",
    "not": "not",
    "both": "on both arms",
    "either": "on at least one arm",
}
_EXTRAS = {
    "how": "derived as {how}…",
    "pattern": "with the pattern {pattern}",
    "share": "{share} of it",
    "value": "{value}",
    "mib": "or less than {mib} MiB each",
    "stage": "as {stage}",
}


def in_words(condition: Condition, depth: int = 0) -> list[str]:
    """The condition as Markdown list items, nested parts indented by two spaces."""
    ((name, argument),) = condition.items()
    indent = "  " * depth
    if name not in _HEADS:
        return [f"{indent}- {sentence(name, argument or {})}"]
    parts = argument if isinstance(argument, list) else [argument]
    if not isinstance(argument, list) and next(iter(argument)) not in _HEADS:
        return [f"{indent}- {_HEADS[name]}: {sentence(*next(iter(argument.items())))}"]
    return [f"{indent}- {_HEADS[name]}:", *(line for part in parts for line in in_words(part, depth + 1))]


def sentence(name: str, arguments: dict[str, Any]) -> str:
    """One predicate with its arguments as a sentence; arguments that the sentence does not hold follow in brackets."""
    template = SENTENCES[name]
    shown = {key: _shown(value) for key, value in arguments.items()}
    text = template.format_map(shown)
    more = [_EXTRAS[key].format_map(shown) for key in shown if f"{{{key}}}" not in template and key in _EXTRAS]
    if name == "exceeds":
        return f"{text} by more than {' + '.join(more)}" if more else text
    return f"{text} ({', '.join(more)})" if more else text


def fields_of(condition: Condition) -> set[str]:
    """Every field that a condition reads."""
    found: set[str] = set()
    for name, argument in condition.items():
        if name in _HEADS:
            parts = argument if isinstance(argument, list) else [argument]
            found = found.union(*(fields_of(part) for part in parts))
        elif isinstance(argument, dict):
            found.update([argument[key] for key in ("field", "other") if key in argument], argument.get("fields", []))
    return found


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_shown(one) for one in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
