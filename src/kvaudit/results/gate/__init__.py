"""The acceptance gate: whether arm B is better than arm A, by repeated runs, with its statistics stated in the answer.

Room: `results`. In: runs (`kvaudit.parsers.results.run.Run`) or plain numbers; out: a `Gate`. No file is read or printed.

    from kvaudit.results.gate.accuracy import decide_accuracy
    from kvaudit.results.gate.decide import decide

    gate = decide(runs_of_a, runs_of_b, metric="p99 ITL")
    gate.decision      # accept, reject, tie, not_enough_runs
    gate.reasons       # sentences
    gate.model_dump(mode="json")

* `decide(baseline, candidate, *, metric=None, direction=None, floor=0.95, disaggregated=False, interleaved=None,
  candidates=None)`. Each arm is a list of runs, or of numbers (one workload point, order as given). Without a metric: `itl.p99`
  where `disaggregated` (a prefill/decode connector is on), else `output_throughput`. `interleaved` is what the caller knows about
  the order of the runs; None: decided from their start times, and unknown without them. `candidates` names the single changes
  that the candidate combines: name -> runs.
* `decide_accuracy(baseline, candidate)` for answers to the same questions, item by item; `decide(…, metric="score")` where only
  the totals are known.
* Raises UsageError for an unknown metric, KvauditError where the statistics (`pip install 'kvaudit[results]'`) are missing.

Nothing is imported here: the shape of a report needs `model` alone, and should not pay for the statistics.
"""
