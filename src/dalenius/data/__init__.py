"""Tables where they live, work on many cores, the one sampler, folders that appear whole."""

from typing import TYPE_CHECKING

from dalenius.basics.homes import SPACES, lazily
from dalenius.data.engine import Request, Table, open_table

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

if TYPE_CHECKING:
    from dalenius.data.completion import Completed as Completed
    from dalenius.data.completion import complete as complete
    from dalenius.data.datasets import DrawnData as DrawnData
    from dalenius.data.drawing import Command as Command
    from dalenius.data.drawing import InBatches as InBatches
    from dalenius.data.draws import noisy_figure as noisy_figure
    from dalenius.data.draws import normal_figure as normal_figure
    from dalenius.data.draws import randomized_answers as randomized_answers
    from dalenius.data.draws import told_count as told_count
    from dalenius.data.draws import told_histogram as told_histogram
    from dalenius.data.folder import write_folder as write_folder
    from dalenius.data.sampler import add_noise as add_noise
    from dalenius.data.sampler import discrete_gaussian as discrete_gaussian
    from dalenius.data.sampler import representable as representable
    from dalenius.data.sampler import rounded_gaussian as rounded_gaussian
    from dalenius.data.sampler import two_sided_geometric as two_sided_geometric
    from dalenius.data.spread import on_cores as on_cores
    from dalenius.data.spread import on_spark as on_spark

INSIDE = {
    "data.completion": ("Completed", "complete"),
    "data.folder": ("write_folder",),
    "data.sampler": ("add_noise", "discrete_gaussian", "representable", "rounded_gaussian", "two_sided_geometric"),
}
__getattr__, __dir__ = lazily("dalenius.data", {**SPACES["data"], **INSIDE})
