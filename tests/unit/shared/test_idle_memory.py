"""A process gives freed memory back in the idle time after its work, once."""

import ctypes
import gc
import sys
import threading

import psutil
import pytest

from footnote_shared.kernel.idle_memory import IdleTimes, give_back_memory, give_back_when_idle
from footnote_testing.eventually import eventually

BUSY_S = 15.0
"""Processor seconds within one look, which are 20 s apart."""


def due_at_looks(*spent_within_looks: float) -> list[bool]:
    times, spent = IdleTimes(0.0), 0.0
    due = []
    for within in spent_within_looks:
        spent += within
        due.append(times.is_due(spent))
    return due


def test_memory_is_given_back_once_after_work() -> None:
    assert due_at_looks(BUSY_S, BUSY_S, 0.1, 0.1, 0.1) == [False, False, True, False, False]


def test_work_after_that_makes_it_due_again() -> None:
    assert due_at_looks(BUSY_S, 0.1, BUSY_S, 0.1) == [False, True, False, True]


def test_a_process_that_works_all_the_time_is_left_alone() -> None:
    assert not any(due_at_looks(*[0.7] * 10))


def test_heartbeats_make_it_due_seldom() -> None:
    assert due_at_looks(*[0.1] * 12).count(True) == 2


def test_it_happens_in_a_process_that_goes_idle() -> None:
    given_back = threading.Event()
    sum(number * number for number in range(10_000_000))
    give_back_when_idle(0.2, given_back.set)
    eventually(given_back.is_set, "memory was given back")


@pytest.mark.skipif(sys.platform != "linux", reason="only the C library of GNU can give memory back")
def test_freed_memory_is_the_systems_again() -> None:
    library = ctypes.CDLL(None)
    if not hasattr(library, "malloc_trim"):
        pytest.skip("only the C library of GNU can give memory back")
    library.malloc.restype = ctypes.c_void_p
    library.malloc.argtypes = [ctypes.c_size_t]
    library.free.argtypes = [ctypes.c_void_p]
    process = psutil.Process()
    blocks = [library.malloc(50_000) for _ in range(2_000)]
    for block in blocks:
        ctypes.memset(block, 1, 50_000)
    # What is freed lies between blocks in use, so the heap cannot shrink by itself.
    for block in blocks[::2]:
        library.free(block)
    gc.collect()
    held = process.memory_info().rss
    give_back_memory()
    assert held - process.memory_info().rss > 30_000_000
    for block in blocks[1::2]:
        library.free(block)
