"""Lines that say which version, platform, model and dtype ran. Pure data."""

from __future__ import annotations

from kvaudit.parsers.converters import always
from kvaudit.parsers.sglang.converters import commit, sampling_defaults, target_architecture, text
from kvaudit.parsers.tables import Row

ROWS: tuple[Row, ...] = (
    Row(
        "container-version",
        b"SGLang Version ",
        r"^SGLang Version (?P<version>\d\S*)\s*$",
        (("version", "engine.version", text),),
        "resolved",
        "SGLang Version 0.5.11+1a2b3c4d",
        pick="first",
    ),
    Row(
        "stated-version",
        b"lang version",
        r"(?i:^(?:.{0,40}\s)?sglang version ?[:=]? ?v?(?P<version>\d+\.\d+\.\d+\S*)\s*$)",
        (("version", "engine.version", text),),
        "resolved",
        "sglang version: 0.5.9",
        since="0.5.8",
        pick="first",
    ),
    Row(
        "pinned-version",
        b"sglang==",
        r"^(?:Version: |Installed: |\s*\+ )?sglang==(?P<version>\d+\.\d+\.\d+\S*)\s*$",
        (("version", "engine.version", text),),
        "resolved",
        "sglang==0.5.9",
        pick="first",
    ),
    Row(
        "container-build",
        b"NVIDIA Release ",
        r"^NVIDIA Release (?P<build>\d\S* \(build \d+\))",
        (("build", "engine.build", text),),
        "resolved",
        "NVIDIA Release 26.05 (build 123456789)",
        pick="first",
    ),
    Row(
        "local-snapshot",
        b"Found local HF snapshot for ",
        r"^Found local HF snapshot for (?P<model>\S+) at \S*/snapshots/(?P<commit>[0-9a-f]{40})",
        (("commit", "model.revision", commit),),
        "resolved",
        "Found local HF snapshot for acme/tiny-llama at /srv/hub/models--acme--tiny-llama/snapshots/"
        "0123456789abcdef0123456789abcdef01234567; skipping download.",
        since="0.5.6",
        pick="first",
    ),
    Row(
        "weights-end",
        b"Load weight end. ",
        r"^Load weight end\. (?:elapsed=\d{1,7}(?:\.\d{1,20})? s, )?type=(?P<architecture>\w+), (?:dtype=(?P<dtype>[\w.]+), )?"
        r"(?:quant=(?P<quantization>[\w.-]+), )?(?:[a-z_]+=[^,]{1,60}, ){0,6}avail mem=(?P<free>-?\d{1,7}(?:\.\d{1,20})?) GB"
        r"(?:, mem usage=(?P<gib>-?\d{1,7}(?:\.\d{1,20})?) GB)?",
        (
            ("architecture", "model.architecture", target_architecture),
            ("dtype", "model.dtype", text),
            ("quantization", "model.quantization", text),
        ),
        "resolved",
        "Load weight end. elapsed=17.20 s, type=LlamaForCausalLM, quant=fp8, avail mem=60.10 GB, mem usage=8.02 GB.",
        pick="first",
    ),
    Row(
        "sampling-defaults",
        b"sampling params from model generation config",
        r"^Using default chat sampling params from model generation config: (?P<values>\{.*)$",
        (("values", "model.generation_config", sampling_defaults),),
        "resolved",
        "Using default chat sampling params from model generation config: {'temperature': 0.7, 'top_p': 0.8}",
        since="0.5.3",
        pick="first",
    ),
    Row(
        "aiter",
        b"[aiter] ",
        r"^\[aiter\] (?P<what>import|LoadKernel|merge tuned|start build|shape is|type hints)",
        (("what", "engine.platform", always("rocm")),),
        "observed",
        "[aiter] import [module_norm] under /opt/aiter/jit/module_norm.so",
        pick="first",
    ),
    Row(
        "amd-all-reduce",
        b"(AMD default)",
        r"Using AiterCustomAllreduce \((?P<what>AMD) default\)",
        (("what", "engine.platform", always("rocm")),),
        "observed",
        "[AR] Using AiterCustomAllreduce (AMD default)",
        pick="first",
    ),
    Row(
        "device-memory",
        b"Reported total GPU memory per device",
        r"Reported total GPU memory per device \(MiB\): \[[\d, ]+\], using min: (?P<mib>\d{1,12}) MiB",
        (),
        "observed",
        "Failed to get GPU memory capacity from nvidia-smi. Falling back to torch.cuda.mem_get_info(). Reported total GPU memory "
        "per device (MiB): [122501], using min: 122501 MiB.",
        since="0.5.10",
        pick="first",
    ),
    Row(
        "blackwell",
        b" detected: auto-selecting ",
        r"^SM\d+ \((?P<what>Blackwell|Hopper)\) detected: auto-selecting ",
        (("what", "engine.platform", always("cuda")),),
        "observed",
        "SM120 (Blackwell) detected: auto-selecting fp4-gemm-backend=flashinfer_cudnn",
        pick="first",
    ),
)
