"""Numbers, bytes and lists of names, as people write them."""

from __future__ import annotations


def counted(n: int, one: str, many: str = "") -> str:
    """"1 node", "2 nodes"; `many` is a plural that is not made with an s, as "leaves"."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def size(nbytes: int) -> str:
    """"12 B", "1.5 kB", "3.2 MB"."""
    if nbytes < 1000:
        return f"{nbytes} B"
    value = float(nbytes)
    for unit in ("kB", "MB", "GB", "TB"):
        value /= 1000
        if value < 999.5 or unit == "TB":
            break
    return f"{value:.3g} {unit}"


def listed(names: list[str]) -> str:
    """A few names, and how many more there are."""
    shown = ", ".join(f"`{n}`" for n in names[:4])
    return shown + (f" and {len(names) - 4} more" if len(names) > 4 else "")
