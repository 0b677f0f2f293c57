"""Texts on which two ways to run a model are compared."""

# Texts of every length, script and form: two ways that differ at all will differ on these.
PROBES = (
    "What does the warranty cover?",
    "The Boundary Layer, at Mach 2.5 (and a Reynolds number of 3e6), separates; see [12] and "
    "https://example.org/a_b?c=1.",
    "Größe über 1,5 µm — naïve café, ΔT ≈ 3 K.",
    "数据库的索引在提交之后更新。 Индекс обновляется после фиксации.",
    "def total(rows):\n    return sum(r['n'] for r in rows)  # of all rows",
    "a",
    "",
    "Every claim carries a number, and the number stands for a passage that was read. " * 80,
)
