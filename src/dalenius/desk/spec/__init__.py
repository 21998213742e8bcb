"""The specification of a release: YAML in, checked objects out."""

from dalenius.desk.spec.build import Prepared, build
from dalenius.desk.spec.load import load_spec, parse_spec, spec_of
from dalenius.desk.spec.model import SpecModel

__all__ = ["Prepared", "SpecModel", "build", "load_spec", "parse_spec", "spec_of"]
