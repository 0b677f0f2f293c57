"""The memory of a running Footnote: of all processes below `footnote up`.

python -m tests.benchmarks.memory_at_rest PID

A page that several processes share counts once (Pss of proc(5)), so the sum is what the machine gives away.
"""

import sys

import psutil


def main() -> None:
    top = psutil.Process(int(sys.argv[1]))
    total = 0
    for process in (top, *top.children(recursive=True)):
        share = process.memory_full_info().pss
        total += share
        print(f"{share / 1e6:7.0f} MB  {' '.join(process.cmdline())[:80]}")
    print(f"{total / 1e6:7.0f} MB  in all")


if __name__ == "__main__":
    main()
