"""Record PyTorch's results for tests/kernel_cases.py: python tests/record/record_kernels.py"""

import json
import sys
import warnings
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import kernel_cases  # noqa: E402


def described(value):
    if isinstance(value, torch.Tensor):
        if value.dtype.is_complex:
            data = torch.view_as_real(value).flatten().tolist()
        else:
            data = value.flatten().tolist()
        return {"dtype": str(value.dtype).split(".")[1], "shape": list(value.shape), "data": data}
    return [described(v) for v in value]


def outcome(expression, names):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return described(eval(expression, names))
    except Exception as error:
        return {"error": [type(error).__name__, str(error).split("\n")[0]]}


def main():
    names = {k: torch.from_numpy(v) for k, v in kernel_cases.inputs().items()}
    names |= {"K": torch, "nan": float("nan"), "inf": float("inf")}
    for family in ("INDEX", "GETITEM", "SORT", "SCAN"):
        results = {}
        for case in getattr(kernel_cases, family):
            mine, theirs = case if isinstance(case, tuple) else (case, case)
            results[mine] = outcome(theirs, names)
        path = HERE.parent / "data" / f"kernels_{family.lower()}.json"
        path.write_text(json.dumps(results, indent=0) + "\n")
        print(path.name, len(results))


if __name__ == "__main__":
    main()
