"""What a sample says of all."""

from math import sqrt

Z = 1.96
"""Of a two-sided interval of 95 %."""


def wilson(some: float, count: int) -> tuple[float, float]:
    """The interval in which a share of `some` of `count` lies with 95 %; ties may count in parts."""
    p, n, z = some / count, count, Z
    middle, spread = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return max(0.0, (middle - spread) / (1 + z * z / n)), min(1.0, (middle + spread) / (1 + z * z / n))
