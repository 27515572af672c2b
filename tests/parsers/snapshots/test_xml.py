"""The XML of `nvidia-smi -x -q`, and what hostile XML may not do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kvaudit.errors import InputError
from kvaudit.parsers.facts import Reading

Read = Callable[[str], Reading]
Facts = Callable[[str], dict[str, Any]]

PROCESS = """<process_info>
        <pid>{pid}</pid>
        <type>{kind}</type>
        <process_name>{name}</process_name>
        <used_memory>{memory}</used_memory>
      </process_info>"""
LOG = """<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log>
  <timestamp>Tue Mar  3 08:15:44 2026</timestamp>
  <driver_version>570.30.01</driver_version>
  <cuda_version>12.8</cuda_version>
  <attached_gpus>1</attached_gpus>
  <gpu id="00000000:21:00.0">
    <product_name>NVIDIA A30</product_name>
    <persistence_mode>Disabled</persistence_mode>
    <mig_mode><current_mig>Disabled</current_mig></mig_mode>
    <mig_devices><mig_device><fb_memory_usage><used>3 MiB</used></fb_memory_usage></mig_device></mig_devices>
    <driver_model><current_dm>N/A</current_dm></driver_model>
    <uuid>GPU-77</uuid>
    <clocks_event_reasons>
      <clocks_event_reason_gpu_idle>Active</clocks_event_reason_gpu_idle>
      <clocks_event_reason_sw_power_cap>Not Active</clocks_event_reason_sw_power_cap>
      <clocks_event_reason_hw_slowdown>Not Active</clocks_event_reason_hw_slowdown>
      <clocks_event_reason_sw_thermal_slowdown>Not Active</clocks_event_reason_sw_thermal_slowdown>
    </clocks_event_reasons>
    <fb_memory_usage>
      <total>24576 MiB</total>
      <reserved>300 MiB</reserved>
      <used>820 MiB</used>
    </fb_memory_usage>
    <compute_mode>Exclusive_Process</compute_mode>
    <ecc_mode><current_ecc>Enabled</current_ecc></ecc_mode>
    <gpu_power_readings><current_power_limit>165.00 W</current_power_limit></gpu_power_readings>
    <module_power_readings><current_power_limit>N/A</current_power_limit></module_power_readings>
    <processes>
      {processes}
    </processes>
  </gpu>
</nvidia_smi_log>
"""
ONE = LOG.replace("{processes}", PROCESS.format(pid=42, kind="C", name="python &amp; co", memory="800 MiB"))
NOBODY = LOG.replace("{processes}", "").replace("820 MiB", "8 MiB")


def test_every_element(facts: Facts) -> None:
    found = facts(ONE)
    assert (found["gpu.driver"], found["gpu.cuda"], found["gpu.count"]) == ("570.30.01", "12.8", 1)
    assert (found["gpu.memory_total_mib"], found["gpu.memory_used_mib"], found["gpu.memory_reserved_mib"]) == (
        [24576],
        [820],
        [300],
    )
    assert (found["gpu.mig"], found["gpu.ecc"], found["gpu.persistence"]) == (["Disabled"], ["Enabled"], ["Disabled"])
    assert (found["gpu.power_limit_w"], found["gpu.compute_mode"]) == ([165.0], ["Exclusive_Process"])
    assert found["gpu.throttle_reasons"] == [["gpu_idle"]]
    assert found["gpu.tenants"][0]["name"] == "python & co"


def test_line_and_pointer(read: Read) -> None:
    by_field = {fact.field: fact for fact in read(ONE).facts}
    used = by_field["gpu.memory_used_mib"].origins[0]
    assert used.line == 1 + ONE[: ONE.index("820 MiB")].count("\n")
    assert used.pointer == "/nvidia_smi_log/gpu[1]/fb_memory_usage/used"
    assert used.excerpt == "<used>820 MiB</used>"
    tenant = by_field["gpu.tenants"].origins[0]
    assert tenant.pointer == "/nvidia_smi_log/gpu[1]/processes/process_info[1]/pid"


def test_an_empty_element_is_nobody_and_a_missing_one_unknown(facts: Facts) -> None:
    assert facts(NOBODY)["gpu.tenants"] == []
    start, end = NOBODY.index("    <processes>"), NOBODY.index("  </gpu>")
    assert "gpu.tenants" not in facts(NOBODY[:start] + NOBODY[end:])


def test_empty_beside_used_memory_is_unknown(facts: Facts) -> None:
    assert "gpu.tenants" not in facts(NOBODY.replace("8 MiB</used>\n    </fb", "9000 MiB</used>\n    </fb"))


def test_trailing_text_and_a_second_document(read: Read) -> None:
    reading = read(f"$ nvidia-smi -q -x\n{ONE}\nsome text & more <\n{NOBODY}")
    assert next(fact.value for fact in reading.facts if fact.field == "gpu.memory_used_mib") == [820]
    assert any("2 logs" in note for note in reading.notes)


def test_attached_gpus_beyond_the_elements(facts: Facts) -> None:
    assert "gpu.count" not in facts(ONE.replace("<attached_gpus>1", "<attached_gpus>8"))


def test_entities_are_neither_declared_nor_expanded(read: Read) -> None:
    bomb = '<!DOCTYPE nvidia_smi_log [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
    text = ONE.replace('<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">', bomb).replace("NVIDIA A30", "&b;")
    with pytest.raises(InputError, match="damaged nvidia-smi XML"):
        read(text)


def test_external_files_are_not_read(read: Read) -> None:
    outside = '<!DOCTYPE nvidia_smi_log [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
    text = ONE.replace('<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">', outside).replace("NVIDIA A30", "&x;")
    with pytest.raises(InputError, match="damaged nvidia-smi XML"):
        read(text)


def test_a_cut_file_names_what_is_missing(read: Read) -> None:
    with pytest.raises(InputError, match="its end is missing"):
        read(ONE[: ONE.index("</nvidia_smi_log>")])


def test_a_damaged_element_names_its_line(read: Read) -> None:
    with pytest.raises(InputError, match="mismatched tag on line 10"):
        read(ONE.replace("</persistence_mode>", "</persistence>"))


def test_deep_nesting_is_refused(read: Read) -> None:
    with pytest.raises(InputError, match="too deeply"):
        read(ONE.replace("<pid>42</pid>", "<x>" * 5000 + "</x>" * 5000))


def test_odd_process_rows_leave_tenants_unknown(facts: Facts) -> None:
    assert "gpu.tenants" not in facts(ONE.replace("<pid>42</pid>", "<pid>many</pid>"))
    assert "gpu.tenants" not in facts(ONE.replace("<pid>42</pid>", f"<pid>{'9' * 6000}</pid>"))
