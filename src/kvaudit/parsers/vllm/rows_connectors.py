"""KV connectors and second tiers: who moves or keeps KV beside the pool. Pure data.

`Creating v1 connector` is printed once per scheduler and worker, with MultiConnector once more for each of its parts; the other
lines are the connectors' own, for logs that lost it. Read in vLLM 0.9.2, 0.11, 0.21 and 0.33 and in LMCache 0.3 to 0.5.
"""

from __future__ import annotations

from kvaudit.parsers.converters import always, text
from kvaudit.parsers.tables import Row

ROWS: tuple[Row, ...] = (
    Row(
        "connector",
        b"connector with name: ",
        r"^Creating v1 connector with name: (?P<name>\w+)",
        (("name", "kv_transfer.connector", text),),
        "resolved",
        "Creating v1 connector with name: OffloadingConnector and engine_id: 0a1b",
        since="0.8.5",
        pick="first",
    ),
    Row(
        "connector-nixl",
        b"nitializing NIXL ",
        r"^(?P<name>Initializing NIXL )(?:Scheduler|wrapper|worker)",
        (("name", "kv_transfer.connector", always("NixlConnector")),),
        "resolved",
        "Initializing NIXL Scheduler 7c0e4f52",
        since="0.9.2",
        pick="first",
    ),
    Row(
        "connector-mooncake",
        b"nitializing Mooncake Transfer Engine ",
        r"^(?P<name>Initializing Mooncake Transfer Engine )(?:Scheduler|worker)",
        (("name", "kv_transfer.connector", always("MooncakeConnector")),),
        "resolved",
        "Initializing Mooncake Transfer Engine worker 7c0e4f52",
        since="0.14.0",
        pick="first",
    ),
    Row(
        "connector-hf3fs",
        b"HF3FSKVConnector initialized: ",
        r"^(?P<name>HF3FSKVConnector) initialized: path=",
        (("name", "kv_transfer.connector", text),),
        "resolved",
        "HF3FSKVConnector initialized: path=/3fs/kv, role=KVConnectorRole.WORKER",
        since="0.20.0",
        pick="first",
    ),
    Row(
        "connector-simple-cpu",
        b"SimpleCPUOffloadConnector: role=",
        r"^(?P<name>SimpleCPUOffloadConnector): role=",
        (("name", "kv_transfer.connector", text),),
        "resolved",
        "SimpleCPUOffloadConnector: role=SCHEDULER, per_rank=64.00 GB, world_size=2, mode=eager",
        since="0.20.0",
        pick="first",
    ),
    Row(
        "connector-decode-bench",
        b"DecodeBenchConnector: Filled ",
        r"^(?P<name>DecodeBenchConnector): Filled \d+ (?:KV cache layers|(?:total )?blocks)",
        (("name", "kv_transfer.connector", text),),
        "resolved",
        "DecodeBenchConnector: Filled 32 KV cache layers at startup with random values (mean=0.015, std=0.001)",
        since="0.14.0",
        pick="first",
    ),
    Row(
        "connector-offloading",
        b"reating offloading spec with name: ",
        r"^(?P<name>Creating offloading spec with name: )",
        (("name", "kv_transfer.connector", always("OffloadingConnector")),),
        "resolved",
        "Creating offloading spec with name: CPUOffloadingSpec",
        since="0.11.2",
        pick="first",
    ),
    Row(
        "lmcache",
        b"LMCache connector",
        r"^Initializing (?:native|latest dev) (?P<name>LMCache) connector",
        (("name", "kv_cache.offload", text),),
        "resolved",
        "Initializing native LMCache connector",
        since="0.11.0",
        pick="first",
    ),
    Row(
        "lmcache-engine",
        b"LMCache initialized for role ",
        r"(?P<name>LMCache) initialized for role ",
        (("name", "kv_cache.offload", text),),
        "resolved",
        "LMCache INFO: LMCache initialized for role KVConnectorRole.WORKER with version 0.3.9, vllm version 0.11.0",
        since="0.9.2",
        pick="first",
    ),
    Row(
        "cpu-offload-off",
        b"disabling CPU offload since it requires prefix caching",
        r"(?P<off>disabling CPU offload) since it requires prefix caching",
        (("off", "kv_cache.offload", always("none")),),
        "resolved",
        "Detected prefix caching disabled, disabling CPU offload since it requires prefix caching.",
        since="0.20.0",
        pick="first",
    ),
)
