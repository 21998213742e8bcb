"""Tables where they live, work on many cores, the one sampler, folders that appear whole."""

from dalenius.basics.homes import SPACES, lazily
from dalenius.data.completion import Completed, complete
from dalenius.data.engine import Request, Table, open_table
from dalenius.data.folder import write_folder
from dalenius.data.sampler import add_noise, discrete_gaussian, representable, rounded_gaussian, two_sided_geometric

__all__ = [
    "Completed",
    "Request",
    "Table",
    "add_noise",
    "complete",
    "discrete_gaussian",
    "open_table",
    "representable",
    "rounded_gaussian",
    "two_sided_geometric",
    "write_folder",
]

__getattr__ = lazily("dalenius.data", SPACES["data"])
