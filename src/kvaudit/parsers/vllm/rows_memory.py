"""Lines about device memory: utilization, free and total at start, weights, graphs, offloaded weights. Pure data."""

from __future__ import annotations

from kvaudit.parsers.converters import number
from kvaudit.parsers.tables import Row

ROWS: tuple[Row, ...] = (
    Row(
        "weights",
        b"odel loading took ",
        r"^Model loading took (?P<gib>[\d.]+) (?:GB|GiB)(?: memory)? and",
        (("gib", "model.weights_gib", number),),
        "observed",
        "Model loading took 14.99 GiB memory and 3.210000 seconds",
        since="0.8.0",
    ),
    Row(
        "weights-v0",
        b"Loading model weights took ",
        r"^Loading model weights took (?P<gib>[\d.]+) GB",
        (("gib", "model.weights_gib", number),),
        "observed",
        "Loading model weights took 14.9888 GB",
        since="0.4.2",
        until="0.8.0",
    ),
    Row(
        "profiling-results",
        b"Memory profiling results: ",
        r"^Memory profiling results: total_gpu_memory=(?P<total>[\d.]+)GiB .*?kv_cache_size=(?P<gib>-?[\d.]+)GiB "
        r"gpu_memory_utilization=(?P<share>[\d.]+)",
        (("total", "memory.total_gib", number), ("gib", "kv_cache.memory_gib", number), ("share", "memory.utilization", number)),
        "observed",
        "Memory profiling results: total_gpu_memory=44.40GiB initial_memory_usage=8.10GiB peak_torch_memory=8.90GiB "
        "memory_usage_post_profile=8.20GiB non_torch_memory=0.50GiB kv_cache_size=30.56GiB gpu_memory_utilization=0.90",
        since="0.6.3",
        until="0.6.5",
    ),
    Row(
        "profiling-budget",
        b"gpu_memory_utilization (",
        r"total_gpu_memory \((?P<total>[\d.]+)GiB\) x gpu_memory_utilization \((?P<share>[\d.]+)\)",
        (("total", "memory.total_gib", number), ("share", "memory.utilization", number)),
        "observed",
        "the current vLLM instance can use total_gpu_memory (39.38GiB) x gpu_memory_utilization (0.80) = 31.50GiB",
        since="0.6.6",
        until="0.10.2",
    ),
    Row(
        "profiling-rest",
        b"memory reserved for KV Cache is ",
        r"the rest of the memory reserved for KV Cache is (?P<gib>-?[\d.]+)GiB",
        (("gib", "kv_cache.memory_gib", number),),
        "observed",
        "model weights take 14.99GiB; non_torch_memory takes 0.10GiB; PyTorch activation peak memory takes 1.20GiB; the rest of "
        "the memory reserved for KV Cache is 15.21GiB.",
        since="0.6.6",
        until="0.10.2",
    ),
    Row(
        "free-memory",
        b"Free memory on device ",
        r"Free memory on device (?:\S+ )?\((?P<free>[\d.]+)/(?P<total>[\d.]+) GiB\) on startup"
        r"(?:\. Desired| is less than desired) GPU memory utilization (?:is )?\((?P<share>[\d.]+), ",
        (
            ("free", "memory.free_at_start_gib", number),
            ("total", "memory.total_gib", number),
            ("share", "memory.utilization", number),
        ),
        "observed",
        "Free memory on device cuda:0 (78.6/79.2 GiB) on startup. Desired GPU memory utilization is (0.9, 71.28 GiB). "
        "Actual usage is 15.1 GiB for weight",
        since="0.9.2",
    ),
    Row(
        "graph-profiling-share",
        b"The current --gpu-memory-utilization=",
        r"The current --gpu-memory-utilization=(?P<share>[\d.]+) is equivalent",
        (("share", "memory.utilization", number),),
        "resolved",
        "CUDA graph memory profiling is enabled (default since v0.21.0). The current --gpu-memory-utilization=0.9000 is "
        "equivalent to --gpu-memory-utilization=0.8901 without CUDA graph memory profiling.",
        since="0.20.0",
    ),
    Row(
        "graph-profiling-advice",
        b"increase --gpu-memory-utilization from ",
        r"increase --gpu-memory-utilization from (?P<share>[\d.]+) to",
        (("share", "memory.utilization", number),),
        "resolved",
        "In v0.19, CUDA graph memory profiling will be enabled by default; to keep the KV cache size, increase "
        "--gpu-memory-utilization from 0.9000 to 0.9164",
        since="0.18.0",
        until="0.19.1",
    ),
    Row(
        "requested-memory",
        b"Initial free memory: ",
        r"^Initial free memory: (?P<free>[\d.]+) ?GiB[;,] Requested memory: (?P<share>[\d.]+) \(util\)",
        (("free", "memory.free_at_start_gib", number), ("share", "memory.utilization", number)),
        "observed",
        "Initial free memory: 78.66 GiB; Requested memory: 0.825000 (util), 65.32 GiB",
        since="0.10.2",
    ),
    Row(
        "graph-memory",
        b"Graph capturing finished in ",
        r"^Graph capturing finished in [\d.]+ secs?, took (?P<gib>-?[\d.]+) GiB",
        (("gib", "graphs.memory_gib", number),),
        "observed",
        "Graph capturing finished in 12 secs, took 0.61 GiB",
        since="0.6.6",
    ),
    Row(
        "offloaded-weights",
        b"Total CPU offloaded parameters: ",
        r"^Total CPU offloaded parameters: (?P<gib>[\d.]+) ?(?:GB|GiB)",
        (("gib", "offload.cpu_weights_gib", number),),
        "observed",
        "Total CPU offloaded parameters: 4.00 GiB",
        since="0.17.0",
    ),
)
