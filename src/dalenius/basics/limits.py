"""How much a file, an option or an address may bring: every number, length, depth and count that is read from outside.

What exceeds a limit is refused with a message that names it; nothing is read, listed or computed before that is known.
All of them stand here and, with what to do instead, on the page docs/limits.md, which is made from `LIMITS`.
"""

from dataclasses import dataclass
from typing import final

LONGEST_PATH = 4095  # bytes of a path
LONGEST_NAME = 255  # bytes of each part of it
LARGEST_TEXT = 2_000_000  # bytes of a specification, a policy, an answers file
LARGEST_COUNTS = 10_000_000  # bytes of a file of public counts
LARGEST_CERTIFICATE = 1 << 28  # bytes of a certificate, and of a table of figures beside it
LARGEST_KEY = 65_536  # bytes of a key or a signature
LONGEST_HEADER = 1_000_000  # characters of the first line of a text table
MOST_COLUMNS = 10_000  # of a text table
MOST_FILES = 20_000  # in the folder of a table, of whatever kind
MOST_NODES = 1_000_000  # values in a YAML file, what is repeated by * and << included
DEEPEST_NODE = 60  # lists and keys inside each other, in YAML and in an entry of a ledger
LONGEST_NUMBER = 400  # characters of a number
FARTHEST_EXPONENT = 1000  # of ten, in any number
LARGEST_EXPONENT = 300  # of ten, in a specification
LONGEST_COUNT = 18  # digits of a public count
LARGEST_PEOPLE = 10**10  # in a group, or in a table
LARGEST_EPSILON = 100
LARGEST_ROUNDING = 100_000  # in units; the time to judge a rounding grows with it
LARGEST_ROUNDED = 50_000_000  # a rounding, times the numbers that a figure has any chance to be before it
LARGEST_SCALE = 2**40  # of geometric noise, in units; beyond it, noise might reach the end of 64 bits
LARGEST_GAUSSIAN = 100_000  # in units; the time to judge discrete Gaussian noise grows with its scale
LARGEST_LATTICE = 50_000_000  # values of a column of numbers
LARGEST_BELIEVED = 26_000  # values of a column of numbers about which a specification states probabilities
LARGEST_ESTIMATED = 1000  # values of a column whose probabilities are estimated
MOST_LABELS = 10_000  # of a column
MOST_FIGURES = 1000  # in a specification, published ones included
MOST_CELLS = 100_000  # numbers of one figure: combinations of the values that it is split by
LONGEST_CONDITION = 20_000  # characters
DEEPEST_CONDITION = 50  # conditions inside each other
LARGEST_COMPLEMENT = 1000  # numbers that a column of numbers may be required to differ from
MOST_AUDITED = 200_000  # cells of a table that is audited
LARGEST_AUDITED = 20_000_000  # bytes of its file
MOST_TABLES = 500  # tables of an audit
MOST_STATED = 1_000  # counts, means and medians of a few people
MOST_KINDS = 400  # combinations of their labels
LARGEST_RULE = 10_000  # the threshold of a rule of thumb; its base, and the known persons in a cell, too
LARGEST_ANSWERS = 1 << 30  # bytes that a command writes in one round of an audit of a mechanism
LONGEST_ANSWER = 100_000  # bytes of one release of it
MOST_DRAWS = 10**8  # of each world, in an audit of a mechanism

RAREST = 12  # a rate of a rule of thumb is at least 1e-12; smaller ones are Poisson


@final
@dataclass(frozen=True, slots=True)
class Limit:
    """One limit: of what, how much, and what to do instead."""

    what: str
    most: int
    unit: str
    instead: str


LIMITS = (
    Limit("A path", LONGEST_PATH, "bytes", "shorter names of folders"),
    Limit("A name in a path", LONGEST_NAME, "bytes", "a shorter name"),
    Limit("A specification, a policy, an answers file", LARGEST_TEXT, "bytes", "ranges instead of single values"),
    Limit("The same, with what `*` and `<<` repeat", MOST_NODES, "values", "no repetitions of repetitions"),
    Limit("The same, keys and lists inside each other", DEEPEST_NODE, "levels", "fewer levels"),
    Limit("A file of public counts", LARGEST_COUNTS, "bytes", "counts that are added up"),
    Limit("A public count", LONGEST_COUNT, "digits", "counts of people"),
    Limit("A certificate, a table of figures beside it", LARGEST_CERTIFICATE, "bytes", "the file of a release"),
    Limit("A key, a signature", LARGEST_KEY, "bytes", "the file that `dalenius key new` made"),
    Limit("The first line of a CSV file", LONGEST_HEADER, "characters", "shorter names, fewer columns"),
    Limit("Files in the folder of a table, at any depth", MOST_FILES, "files", "the folder of the table itself"),
    Limit("Columns of a CSV file", MOST_COLUMNS, "columns", "Parquet, or the columns that are needed"),
    Limit("A number", LONGEST_NUMBER, "characters", "fewer digits"),
    Limit("A power of ten in a number", FARTHEST_EXPONENT, "in Python, either way", "numbers that mean something"),
    Limit("A power of ten in a specification", LARGEST_EXPONENT, "either way", "numbers that mean something"),
    Limit("People in a group", LARGEST_PEOPLE, "people", "a group that exists"),
    Limit("Epsilon", LARGEST_EPSILON, "", "0.1 to 2: more is no promise"),
    Limit("A rounding", LARGEST_ROUNDING, "units", "a coarser unit"),
    Limit(
        "A rounding, times the numbers that the figure has any chance to be before it",
        LARGEST_ROUNDED,
        "",
        "a smaller rounding, a coarser unit, tighter bounds, or less noise",
    ),
    Limit("The scale of geometric noise", LARGEST_SCALE, "units", "a coarser unit"),
    Limit("The scale of Gaussian and normal noise", LARGEST_GAUSSIAN, "units", "a coarser unit"),
    Limit("Values of a column of numbers", LARGEST_LATTICE, "values", "a coarser unit"),
    Limit("The same, with probabilities in a specification", LARGEST_BELIEVED, "values", "a coarser unit, or Python"),
    Limit("The same, with public counts", LARGEST_ESTIMATED, "values", "a coarser unit"),
    Limit("Labels of a column", MOST_LABELS, "labels", "groups of labels"),
    Limit("Figures of a specification, published ones included", MOST_FIGURES, "figures", "`by`, or several releases"),
    Limit("Cells of one figure", MOST_CELLS, "cells", "fewer columns in `by`"),
    Limit("A condition", LONGEST_CONDITION, "characters", "ranges, with between"),
    Limit("Conditions inside each other", DEEPEST_CONDITION, "levels", "fewer parentheses"),
    Limit("Numbers that a column may not have", LARGEST_COMPLEMENT, "numbers", "ranges, with between"),
    Limit("Cells of a table that is audited", MOST_AUDITED, "cells", "fewer columns, or labels added up"),
    Limit("The file of such a table", LARGEST_AUDITED, "bytes", "fewer columns, or labels added up"),
    Limit("Tables of one audit", MOST_TABLES, "tables", "those that share variables"),
    Limit("Counts, means and medians of a few people", MOST_STATED, "numbers", "those of a smaller area"),
    Limit("Combinations of the labels of these people", MOST_KINDS, "kinds", "fewer variables"),
    Limit("What a command writes in a round of an audit", LARGEST_ANSWERS, "bytes", "shorter releases"),
    Limit("One release of such a command", LONGEST_ANSWER, "bytes", "a summary of it"),
    Limit("Draws of each world in an audit of a mechanism", MOST_DRAWS, "draws", "a larger risk, or another event"),
    Limit("A threshold, a base or known persons of a rule", LARGEST_RULE, "", "a rule that somebody uses"),
    Limit("The power of ten that a rate of a rule is at least", RAREST, "below one", "no rate: Poisson"),
)
