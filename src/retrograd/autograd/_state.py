"""The modes of the current thread."""

from __future__ import annotations

import threading


class _State(threading.local):
    grad = True
    inference = False


state = _State()
