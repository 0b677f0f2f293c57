"""What the embedding runtimes need to know about the processor."""

import hashlib
import os
import platform
from pathlib import Path

_CPUINFO = Path("/proc/cpuinfo")
_TELLING = ("model name", "flags", "Features", "CPU part")


def usable_cores() -> int:
    """Cores that this process may use, by its affinity and its container's quota (cgroup v2, `cpu.max`)."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    limit = Path("/sys/fs/cgroup/cpu.max")
    quota, period = limit.read_text().split() if limit.is_file() else ("max", "1")
    return cores if quota == "max" else max(1, min(cores, int(quota) // int(period)))


def processor_mark() -> str:
    """16 hex digits that differ between processors whose instructions differ, as far as the system tells."""
    lines = _CPUINFO.read_text(encoding="utf-8", errors="replace").splitlines() if _CPUINFO.is_file() else []
    told = sorted({line for line in lines if line.partition(":")[0].strip() in _TELLING})
    given = "\n".join([platform.machine(), platform.processor(), *told])
    return hashlib.sha256(given.encode()).hexdigest()[:16]
