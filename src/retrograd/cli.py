"""The `retrograd` command: for each subcommand a function that declares it and one that runs it."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence

import retrograd
from retrograd._run import is_unread, run_module, run_script


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (default: the process's own) and return the exit status.

    If the reader of its output closes the pipe, as `head` does, it ends silently.
    """
    try:
        return _command(argv)
    except BrokenPipeError:
        if not is_unread():
            raise
        return 1
    finally:
        if is_unread():                          # Python would complain of what is still buffered
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())


def _command(argv: Sequence[str] | None) -> int:
    parser = _parser()
    words = sys.argv[1:] if argv is None else argv
    if words and words[0].endswith(".py"):
        parser.error(f"what to do with {words[0]}? To run it: retrograd run {' '.join(words)}")
    options, unknown = parser.parse_known_args(words)
    if unknown:                     # behind a command it is the command's own usage that helps
        owner = parser if words[0] in unknown else options.parser
        owner.error(f"unrecognized arguments: {' '.join(unknown)}")
    if options.command is None:
        parser.print_help()
        return 0
    return options.command(options)


def _parser() -> argparse.ArgumentParser:
    api, _, own = retrograd.__version__.partition("+retrograd.")
    parser = argparse.ArgumentParser(
        prog="retrograd",
        description="PyTorch's autograd in pure Python on NumPy.",
        epilog="Begin with `retrograd run train.py`; `retrograd COMMAND --help` says more.",
    )
    parser.set_defaults(command=None, parser=parser)
    parser.add_argument(
        "--version", action="version", version=f"retrograd {own} (API of PyTorch {api})"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    _add_run(commands)
    _add_doctor(commands)
    _add_graph(commands)
    _add_warmup(commands)
    return parser


def _add_run(commands) -> None:
    parser = commands.add_parser(
        "run",
        help="run a PyTorch program unchanged",
        description="Run a program as python would, with `import torch` meaning retrograd.",
    )
    _add_program(parser)
    parser.add_argument(
        "--trace", action="store_true", help="let errors name the line of every operator"
    )
    parser.set_defaults(command=_run, parser=parser)


def _add_doctor(commands) -> None:
    parser = commands.add_parser(
        "doctor",
        help="run a PyTorch program and report what it does wrong",
        description="Run a program and report missing gradients, growing graphs, nan and the like, "
        "each with its line, the reason and the cure. --json and --strict may also follow SCRIPT; "
        "what follows -- is the program's alone.",
    )
    _add_reporting(parser)
    _add_program(parser)
    parser.set_defaults(command=_doctor, parser=parser)


def _add_graph(commands) -> None:
    parser = commands.add_parser(
        "graph",
        help="draw the last backward pass of a PyTorch program",
        description="Run a program as `retrograd run` does and draw its last backward pass, or "
        "where it failed: a page to step through (.html), a picture (.svg), .dot or .txt. "
        "-o and --backward may also follow SCRIPT; what follows -- is the program's alone.",
    )
    _add_drawing(parser)
    _add_program(parser)
    parser.set_defaults(command=_graph, parser=parser)


def _add_warmup(commands) -> None:
    parser = commands.add_parser(
        "warmup",
        help="compile the kernels for large tensors",
        description="Compile the kernels for large tensors and keep them on disk (extra: fast).",
    )
    parser.set_defaults(command=_warmup, parser=parser)


def _add_reporting(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="report as JSON on standard output")
    parser.add_argument("--strict", action="store_true", help="exit with status 1 on findings")


def _add_drawing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", metavar="FILE", default="graph.html",
        help="what to write, by its suffix (default: graph.html)",
    )
    parser.add_argument(
        "--backward", type=_place, metavar="N",
        help="draw the Nth backward pass, counted from 1, and stop the program after it",
    )


def _place(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"passes are counted from 1: {text!r}")
    return number


def _add_program(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", action="store_true", dest="module", help="SCRIPT is a module's name")
    parser.add_argument("script", metavar="SCRIPT", help="a file, or - for standard input")
    rest = parser.add_argument("args", nargs=argparse.REMAINDER, help="passed on to the program")
    rest.required = False           # or Python 3.11 asks for them where SCRIPT is missing


def _take_options_behind(options: argparse.Namespace, command: str, add) -> list[str]:
    """Read our options that follow the script; what is left, and all after --, is the program's."""
    behind = argparse.ArgumentParser(prog=f"retrograd {command}", add_help=False,
                                     allow_abbrev=False)
    add(behind)
    end = options.args.index("--") if "--" in options.args else len(options.args)
    _, args = behind.parse_known_args(options.args[:end], options)
    return args + options.args[end + 1:]


def _run(options: argparse.Namespace) -> int:
    if options.trace:
        from retrograd.debug import tracing

        tracing.start()
    (run_module if options.module else run_script)(options.script, options.args)
    return 0


def _doctor(options: argparse.Namespace) -> int:
    from retrograd.debug.examination import examine

    args = _take_options_behind(options, "doctor", _add_reporting)
    # The program's own output must not mix with JSON.
    with contextlib.redirect_stdout(sys.stderr if options.json else sys.stdout):
        report, status = examine(options.script, args, options.module)
    with contextlib.suppress(BrokenPipeError):
        _say(report.to_json() if options.json else f"\n{report}")
    return status or int(options.strict and bool(report.findings))


def _say(text: str) -> None:
    """Print a text that quotes the program; the output's encoding may lack some characters."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)


def _graph(options: argparse.Namespace) -> int:
    from retrograd.viz.command import check, draw

    args = _take_options_behind(options, "graph", _add_drawing)
    run = run_module if options.module else run_script
    try:
        check(options.output)
    except (ValueError, ImportError, OSError) as error:
        print(f"retrograd graph: {error}", file=sys.stderr)
        return 2
    return draw(lambda: run(options.script, args), options.output, options.backward)


def _warmup(options: argparse.Namespace) -> int:
    from retrograd.kernels import fast

    if not fast.enabled():
        print("There is nothing to compile: Numba is not installed (pip install "
              "'retrograd[fast]'), or RETROGRAD_FAST=0 is set.")
        return 1
    from retrograd.kernels.fast.disk import folder, refusal
    from retrograd.kernels.fast.examples import warm_up

    reason = refusal()
    if reason is not None:
        print(f"retrograd warmup: kernels cannot be kept ({reason}); set RETROGRAD_CACHE to a "
              "folder that can be written to.", file=sys.stderr)
        return 1
    print(f"{warm_up()} kernels are ready in {folder()}.")
    return 0
