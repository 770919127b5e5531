"""torch.cuda.random: the functions of torch.cuda under the name of their file."""

from . import (  # type: ignore[attr-defined]
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)

__all__ = ["get_rng_state", "get_rng_state_all", "initial_seed", "manual_seed", "manual_seed_all",
           "seed", "seed_all", "set_rng_state", "set_rng_state_all"]
