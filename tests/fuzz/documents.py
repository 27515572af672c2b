"""Short documents of every format without a fixture, as starting points for mutations. Pure data; everything is invented."""

from __future__ import annotations

import json

_XML = """<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log>
  <timestamp>Sun May 17 11:42:07 2026</timestamp>
  <driver_version>580.65.06</driver_version>
  <cuda_version>13.0</cuda_version>
  <attached_gpus>1</attached_gpus>
  <gpu id="00000000:41:00.0">
    <product_name>NVIDIA A30</product_name>
    <uuid>GPU-5b1c9f00-0000-4000-8000-000000000001</uuid>
    <mig_mode><current_mig>Disabled</current_mig></mig_mode>
    <fb_memory_usage><total>24576 MiB</total><used>21380 MiB</used><free>3196 MiB</free></fb_memory_usage>
    <utilization><gpu_util>88 %</gpu_util></utilization>
    <processes>
      <process_info>
        <pid>4711</pid><type>C</type><process_name>VLLM::EngineCore</process_name><used_memory>21000 MiB</used_memory>
      </process_info>
    </processes>
  </gpu>
</nvidia_smi_log>
"""

_TABLE = """Sun May 17 11:42:07 2026
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 580.65.06              Driver Version: 580.65.06      CUDA Version: 13.0     |
|-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
|   0  NVIDIA A30                     On  |   00000000:41:00.0 Off |                    0 |
| N/A   48C    P0            121W /  165W |   21380MiB /  24576MiB |     88%      Default |
|                                         |                        |             Disabled |
+-----------------------------------------+------------------------+----------------------+

+-----------------------------------------------------------------------------------------+
| Processes:                                                                              |
|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |
|        ID   ID                                                               Usage      |
|=========================================================================================|
|    0   N/A  N/A            4711      C   VLLM::EngineCore                      21000MiB |
+-----------------------------------------------------------------------------------------+
"""

_QUERY = """==============NVSMI LOG==============

Timestamp                                 : Sun May 17 11:42:07 2026
Driver Version                            : 580.65.06
CUDA Version                              : 13.0

Attached GPUs                             : 1
GPU 00000000:41:00.0
    Product Name                          : NVIDIA A30
    Persistence Mode                      : Enabled
    GPU UUID                              : GPU-5b1c9f00-0000-4000-8000-000000000001
    FB Memory Usage
        Total                             : 24576 MiB
        Used                              : 21380 MiB
        Free                              : 3196 MiB
    Utilization
        Gpu                               : 88 %
    Clocks Event Reasons
        SW Power Cap                      : Active
    Processes
        GPU instance ID                   : N/A
        Process ID                        : 4711
            Type                          : C
            Name                          : VLLM::EngineCore
            Used GPU Memory               : 21000 MiB
"""

_CSV = """index, name, uuid, driver_version, memory.total [MiB], memory.used [MiB], utilization.gpu [%], power.limit [W]
0, NVIDIA A30, GPU-5b1c9f00-0000-4000-8000-000000000001, 580.65.06, 24576 MiB, 21380 MiB, 88 %, 165.00 W
"""
_APPS = """gpu_uuid, pid, process_name, used_gpu_memory [MiB]
GPU-5b1c9f00-0000-4000-8000-000000000001, 4711, /opt/py/bin/python3 -m vllm.entrypoints.openai.api_server, 21000 MiB
"""
_PMON = """# gpu         pid   type     sm    mem    enc    dec    jpg    ofa     fb   ccpm    command
# Idx           #    C/G      %      %      %      %      %      %     MB     MB    name
    0       4711     C     88     40      -      -      -      -  21000      0    VLLM::EngineCor
"""
_DMON = """# gpu    pwr  gtemp  mtemp     sm    mem    enc    dec    jpg    ofa   mclk   pclk
# Idx      W      C      C      %      %      %      %      %      %    MHz    MHz
    0    121     48     44     88     40      0      0      0      0   1215   1440
"""
_LIST = "GPU 0: NVIDIA A30 (UUID: GPU-5b1c9f00-0000-4000-8000-000000000001)\n"
_TOPOLOGY = """\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity
GPU0\t X \tNV4\t0-15\t0
GPU1\tNV4\t X \t16-31\t1

Legend:

  X    = Self
"""
_GPUSTAT = json.dumps(
    {
        "hostname": "bench-host",
        "driver_version": "580.65.06",
        "query_time": "2026-05-17T11:42:07.000001",
        "gpus": [
            {
                "index": 0,
                "uuid": "GPU-5b1c9f00-0000-4000-8000-000000000001",
                "name": "NVIDIA A30",
                "utilization.gpu": 88,
                "power.draw": 121,
                "enforced.power.limit": 165,
                "memory.used": 21380,
                "memory.total": 24576,
                "processes": [{"username": "anna", "command": "python3", "gpu_memory_usage": 21000, "pid": 4711}],
            }
        ],
    },
    indent=2,
)
_ROCM = json.dumps(
    {
        "card0": {
            "GPU use (%)": "88",
            "VRAM Total Memory (B)": "206141652992",
            "VRAM Total Used Memory (B)": "190000000000",
            "Card Series": "AMD Instinct MI300X",
        },
        "system": {"Driver version": "6.10.5", "PID4711": "python3, 1, 190000000000, 0, 0"},
    }
)
_AMD = json.dumps(
    [
        {
            "gpu": 0,
            "process_list": [
                {
                    "process_info": {
                        "name": "python3",
                        "pid": 4711,
                        "memory_usage": {"vram_mem": {"value": 190000000000, "unit": "B"}},
                        "mem_usage": {"value": 190000000000, "unit": "B"},
                    }
                }
            ],
        }
    ],
    indent=2,
)
_COMPOSE = """services:
  otter:
    image: vllm/vllm-openai:v0.21.0
    command: ["--model", "acme/otter-8b", "--kv-cache-dtype", "fp8", "--max-model-len", "16384"]
    environment: &env
      VLLM_SERVER_DEV_MODE: "1"
      VLLM_ATTENTION_BACKEND: FLASHINFER
    restart: always
    ports: ["8000:8000"]
  heron:
    image: lmsysorg/sglang:v0.5.4
    command: python3 -m sglang.launch_server --model-path acme/heron-8b --tp 2
    environment:
      <<: *env
    deploy:
      restart_policy: {condition: any, delay: 5s}
"""
_INSPECT = json.dumps(
    [
        {
            "Id": "5e" * 32,
            "Name": "/otter",
            "Path": "python3",
            "Args": ["-m", "vllm.entrypoints.openai.api_server", "--model", "acme/otter-8b", "--tensor-parallel-size", "2"],
            "State": {"Status": "running", "Restarting": False, "Pid": 4711, "ExitCode": 0, "OOMKilled": False},
            "RestartCount": 7,
            "Config": {"Image": "vllm/vllm-openai:v0.21.0", "Env": ["HF_HOME=/data", "VLLM_USE_V1=1"], "Cmd": ["--model"]},
            "HostConfig": {"RestartPolicy": {"Name": "on-failure", "MaximumRetryCount": 3}},
        }
    ],
    indent=2,
)
_POD = """apiVersion: v1
kind: Pod
metadata: {name: otter, namespace: bench}
spec:
  restartPolicy: Always
  containers:
    - name: vllm
      image: vllm/vllm-openai:v0.21.0
      args: ["--model", "acme/otter-8b", "--max-num-seqs", "96"]
      env:
        - {name: VLLM_USE_V1, value: "1"}
status:
  containerStatuses:
    - {name: vllm, restartCount: 4, ready: false, state: {waiting: {reason: CrashLoopBackOff}}}
"""
_UNIT = """[Unit]
Description=Otter
StartLimitIntervalSec=0

[Service]
Environment=MODEL=acme/otter-8b "EXTRA=--seed 7"
ExecStart=/opt/py/bin/vllm serve ${MODEL} $EXTRA --kv-cache-dtype auto \\
  --host 127.0.0.1 --port 8000
Restart=always
RestartSec=5

[Install]
WantedBy=multi-user.target
"""
_SHOW = """Id=otter.service
Names=otter.service
Restart=always
RestartUSec=5s
NRestarts=41
Result=exit-code
ActiveState=activating
SubState=auto-restart
ExecStart={ path=/opt/py/bin/vllm ; argv[]=/opt/py/bin/vllm serve acme/otter-8b --seed 7 ; ignore_errors=no ; pid=0 }
"""
_SCRIPT = """#!/bin/bash
set -e
export CUDA_VISIBLE_DEVICES=0,1
MODEL=acme/otter-8b
exec vllm serve "$MODEL" --tensor-parallel-size 2 --kv-cache-dtype fp8 \\
  --speculative-config '{"method": "ngram", "num_speculative_tokens": 3}' 2>&1 | tee server.log
"""
_METRICS = """# HELP vllm:num_preemptions_total Cumulative number of preemption from the engine.
# TYPE vllm:num_preemptions_total counter
vllm:num_preemptions_total{engine="0",model_name="acme/otter-8b"} 7.0
vllm:prefix_cache_queries_total{engine="0",model_name="acme/otter-8b"} 2000.0
vllm:prefix_cache_hits_total{engine="0",model_name="acme/otter-8b"} 500.0
vllm:cache_config_info{block_size="16",cache_dtype="auto",engine="0",gpu_memory_utilization="0.92",num_gpu_blocks="2186"} 1.0
process_start_time_seconds 1.7790109e+09
"""
_CONFIG = json.dumps(
    {
        "architectures": ["Qwen3MoeForCausalLM"],
        "model_type": "qwen3_moe",
        "hidden_size": 2048,
        "num_hidden_layers": 6,
        "num_attention_heads": 32,
        "num_key_value_heads": 4,
        "head_dim": 128,
        "layer_types": ["full_attention", "sliding_attention"] * 3,
        "sliding_window": 1024,
        "max_position_embeddings": 40960,
        "rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 10240},
        "torch_dtype": "bfloat16",
        "quantization_config": {
            "quant_method": "compressed-tensors",
            "format": "float-quantized",
            "config_groups": {"group_0": {"targets": ["Linear"], "weights": {"num_bits": 8, "type": "float"}}},
            "kv_cache_scheme": {"num_bits": 8, "type": "float", "dynamic": False, "symmetric": True},
        },
        "text_config": {"num_hidden_layers": 6},
    },
    indent=2,
)
_HF_QUANT = json.dumps({"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8"}})
_GENERATION = json.dumps({"temperature": 0.7, "top_p": 0.8, "eos_token_id": [1, 2], "transformers_version": "4.57.0"})

DOCUMENTS: dict[str, str] = {
    "nvidia-smi.xml": _XML,
    "nvidia-smi.txt": _TABLE,
    "nvidia-smi-q.txt": _QUERY,
    "gpus.csv": _CSV,
    "apps.csv": _APPS,
    "pmon.txt": _PMON,
    "dmon.txt": _DMON,
    "list.txt": _LIST,
    "topology.txt": _TOPOLOGY,
    "gpustat.json": _GPUSTAT,
    "rocm-smi.json": _ROCM,
    "amd-smi.json": _AMD,
    "compose.yaml": _COMPOSE,
    "inspect.json": _INSPECT,
    "pod.yaml": _POD,
    "otter.service": _UNIT,
    "show.txt": _SHOW,
    "start.sh": _SCRIPT,
    "metrics.txt": _METRICS,
    "config.json": _CONFIG,
    "hf_quant_config.json": _HF_QUANT,
    "generation_config.json": _GENERATION,
}
"""Text by the name that the file would have."""
