"""`%load_ext retrograd` in IPython or a notebook: `%%doctor` examines a cell."""

from __future__ import annotations

from typing import Any


def load_ipython_extension(shell: Any) -> None:
    """Register the magic `%%doctor` with an IPython shell: `%load_ext retrograd` calls this."""
    def doctor(line: str, cell: str) -> None:
        """Run the cell under observation, and print what it does wrong."""
        examine_cell(shell, cell)
    shell.register_magic_function(doctor, "cell", "doctor")


def examine_cell(shell: Any, cell: str) -> None:
    """Run a cell as the shell would, and print the findings; an error is one of them."""
    from .debug.crashes import crash
    from .debug.doctor import Doctor

    with Doctor("this cell") as doctor:
        result = shell.run_cell(cell)
        error = result.error_before_exec or result.error_in_exec
        if isinstance(error, Exception):
            doctor.report.add(crash(error))
    print(f"\n{doctor.report}")
