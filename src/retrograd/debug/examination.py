"""`retrograd doctor script.py`: run a program under a Doctor, until its end or its error."""

from __future__ import annotations

import sys

from .crashes import crash, shorten
from .doctor import Doctor
from .findings import Report

INTERRUPTED = 130        # what a shell reports of a program that Ctrl-C has ended


def examine(script: str, args: list[str], module: bool = False) -> tuple[Report, int]:
    """Run a program as `retrograd run` does; its findings, and its own exit status.

    A program that fails, or is stopped by Ctrl-C, is reported on as far as it got.
    """
    from .._run import NotStarted, is_unread, run_module, run_script
    doctor = Doctor("standard input" if script == "-" else script)
    status = 0
    with doctor:
        try:
            (run_module if module else run_script)(script, args)
        except NotStarted:
            raise
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
            if isinstance(end.code, str):
                print(end.code, file=sys.stderr)
        except KeyboardInterrupt as error:
            doctor.report.stopped = True
            sys.excepthook(type(error), error, error.__traceback__)
            status = INTERRUPTED
        except BaseException as error:
            status = 1
            if not (isinstance(error, BrokenPipeError) and is_unread()):
                doctor.report.add(crash(error))
                shorten(error)
                sys.excepthook(type(error), error, error.__traceback__)
    return doctor.report, status
