"""A specification as it is meant: with what a policy says where it is silent."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dalenius.errors import SpecError
from dalenius.policy import Policy, load_policy
from dalenius.spec import SpecModel, spec_of
from dalenius.spec.load import load_keys

POLICY = "DALENIUS_POLICY"  # the environment variable that names a policy for every release


def named_policies(*paths: Path | str | None) -> tuple[Policy, ...]:
    """The policies in these files and in the one that the environment names; each file once."""
    named = [str(Path(path).absolute()) for path in (*paths, os.environ.get(POLICY)) if path]
    return tuple(load_policy(Path(path)) for path in dict.fromkeys(named))


def read_spec(
    spec: SpecModel | Mapping[str, Any] | str | Path, base: Path, policy: Path | str | None = None
) -> tuple[SpecModel, tuple[Policy, ...]]:
    """The specification, with what it leaves out and a policy says; and the policies."""
    if isinstance(spec, SpecModel):
        return spec, named_policies(base / spec.policy if spec.policy else None, policy)
    if isinstance(spec, str | Path):
        spec = load_keys(Path(spec))
    elif not isinstance(spec, Mapping):
        raise SpecError(
            f"A specification is the path of a YAML file, or a dict with its keys, but got {type(spec).__name__}. "
            "See docs/spec.md."
        )
    own = spec.get("policy")
    policies = named_policies(base / own if isinstance(own, str) and own.strip() else None, policy)
    for held in policies:
        spec = held.filled(spec)
    return spec_of(spec), policies
