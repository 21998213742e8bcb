from dalenius.release.completion import Completed, complete
from dalenius.release.engine import Request, Table, open_table
from dalenius.release.folder import write_folder
from dalenius.release.sampler import add_noise, discrete_gaussian, representable, rounded_gaussian, two_sided_geometric

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
