"""Warnings of vLLM's quantization and communication kernels, which SGLang took over with its kernels. Pure data.

vLLM 0.4 to 0.33, SGLang 0.3 to 0.5.23; the row's name is the notice's code.
"""

from __future__ import annotations

from kvaudit.parsers.tables import Row, marker

ROWS: tuple[Row, ...] = (
    marker(
        "marlin-weight-only-fp8",
        b"eight-only FP8 compression will be used",
        r"Weight-only FP8 compression will be used leveraging the Marlin kernel",
        "Your GPU does not have native support for FP8 computation but FP8 quantization is being used. Weight-only FP8 "
        "compression will be used leveraging the Marlin kernel. This may degrade performance for compute-heavy workloads.",
    ),
    marker(
        "marlin-weight-only-fp4",
        b"eight-only FP4 compression will be used",
        r"Weight-only FP4 compression will be used leveraging the Marlin kernel",
        "Your GPU does not have native support for FP4 computation but FP4 quantization is being used. Weight-only FP4 "
        "compression will be used leveraging the Marlin kernel. This may degrade performance for compute-heavy workloads.",
    ),
    marker(
        "slower-quantization-kernel",
        b"etected that the model can run with ",
        r"^Detected that the model can run with \w+, however you specified quantization=\w+ explicitly",
        "Detected that the model can run with awq_marlin, however you specified quantization=awq explicitly, so forcing awq. "
        "Use quantization=awq_marlin for faster inference",
    ),
    marker(
        "custom-all-reduce-disabled",
        b"ustom allreduce is disabled because",
        r"^Custom allreduce is disabled because",
        "Custom allreduce is disabled because your platform lacks GPU P2P capability or P2P test failed.",
    ),
    marker(
        "nccl-p2p-off",
        b"NCCL_P2P_DISABLE",
        r"NCCL_P2P_DISABLE(?:=1| is set to 1| set by environment to 1)",
        "NCCL INFO NCCL_P2P_DISABLE set by environment to 1",
    ),
)
