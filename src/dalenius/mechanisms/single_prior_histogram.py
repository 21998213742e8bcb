"""A histogram under one stated law of the records, with exact cells where the data earn it: a repair of Pufferfish,
Algorithm 2, whose cells were each allowed too much.
"""

from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from typing import final

from dalenius.basics.errors import InputError, require
from dalenius.beliefs.belief import marginal_of, records_of
from dalenius.claims import Guarantee, Notion
from dalenius.enclosure.brackets import Bracket, around
from dalenius.facts.records import Label
from dalenius.mechanisms.earned import EMPTY, Kernel, ToldLaw, Window
from dalenius.mechanisms.stated import Company, Stated, checked_epsilon, drawn_scale, pure
from dalenius.numerics.exponentials import sign, value
from dalenius.numerics.least import first_true, last_true

SOURCE = "a repair of Kifer and Machanavajjhala 2014, Algorithm 2, whose Theorem 7.2 is false; proof in the docstring"


@final
class SinglePriorHistogram(Stated):
    """How many of n records, independent with these chances, lie in each cell. Eligible cells, chosen beforehand, may
    be exact; all others have geometric noise of parameter ε₁ (`noise`).

    An eligible cell may be exact if its count h has h/(nq) between rlo = max(e^-ε₃, e^ε₂ - (e^ε₂ - 1)/q_E) and
    rhi = min(e^ε₃, e^-ε₂ + (1 - e^-ε₂)/q_E), where q_E < 1 is the chance of all eligible cells together. Then, for each
    cell, whether a person is among the records in this cell, or not among them, is hidden within max(ε₃, ε₂ + 2ε₁).
    Two cells of a person who is among them, against each other, may cost twice that.

    Proof. Let T be the cells that came out exactly. For a cell l in T the likelihood ratio is h_l/(nq_l), and the noise
    of the others does not change. For l outside T it is (n - m)/(n(1 - q_T)), with m the records in T, times that of
    the noisy cells. Each cell's window gives rlo q_T <= m/n <= rhi q_T, and q_T <= q_E then bounds the first factor by
    e^±ε₂. Given T, the rest is one record in l and n-m-1 independent ones, against one more independent record: two
    cells change by one, each kernel by at most e^ε₁.

    >>> import dalenius as dl
    >>> cells = {"A": "0.11", "B": "0.39", "other": "0.5"}
    >>> table = dl.mechanisms.SinglePriorHistogram(cells, n=100, eligible=["A", "B"], noise="0.25", rest="0.5", exact=1)
    >>> print(table.told())
    histogram of 100 records in 3 cells, noisy; exact with some chance in A: 5 to 15, B: 15 to 54
    """

    company = Company.NOISY

    def __init__(
        self,
        cells: Mapping[Label | Fraction, float | str | Fraction],
        *,
        n: int,
        eligible: Iterable[Label | Fraction],
        noise: float | str | Fraction,
        rest: float | str | Fraction,
        exact: float | str | Fraction,
    ) -> None:
        self.cells = dict(marginal_of(cells))
        self.n = n = records_of(n)
        self.eligible = tuple(dict.fromkeys(eligible))
        self.noise = checked_epsilon(noise, name="noise (ε₁)")
        self.rest = checked_epsilon(rest, name="rest (ε₂)")
        self.exact = checked_epsilon(exact, name="exact (ε₃)")
        require(n >= 1, "at least one record", got=n, remedy="Without records there is nothing to count.")
        empty = next((cell for cell, chance in self.cells.items() if not chance), None)
        if empty is not None:
            raise InputError(
                f"Every cell needs a chance above 0, but {empty} has none: a record in it would tell all. Leave it "
                "out, or merge it with another."
            )
        stray = next((cell for cell in self.eligible if cell not in self.cells), None)
        require(stray is None, f"eligible cells among {list(self.cells)}", got=stray)
        self.mass = sum((self.cells[cell] for cell in self.eligible), Fraction(0))
        if self.mass >= 1:
            raise InputError(
                "The eligible cells must leave some chance to others, but theirs is 1: exact counts of all of them "
                "would leave nothing for the rest. Leave a cell out."
            )
        scale = drawn_scale(1 / self.noise)
        self.windows = {cell: self._window(cell) if cell in self.eligible else EMPTY for cell in self.cells}
        self.kernels = {cell: Kernel(n, window, scale) for cell, window in self.windows.items()}

    def _window(self, cell: Label | Fraction) -> Window:
        n, q, mass, two, three = self.n, self.cells[cell], self.mass, self.rest, self.exact

        def enough(h: int) -> bool:
            by_itself = sign([(h, three), (-n * q, 0)]) >= 0
            return by_itself and sign([(h * mass - n * q, 0), (n * q * (1 - mass), two)]) >= 0

        def few(h: int) -> bool:
            by_itself = sign([(n * q, three), (-h, 0)]) >= 0
            return by_itself and sign([(n * q - h * mass, 0), (-n * q * (1 - mass), -two)]) >= 0

        return Window(first_true(enough, 1, n - 1), last_true(few, 1, n - 1))

    def ratios(self) -> tuple[Bracket, Bracket]:
        """Rlo and rhi."""
        if not self.eligible:
            return Bracket(0.0, 0.0), Bracket(0.0, 0.0)
        mass, two, three = self.mass, self.rest, self.exact
        low = [value([(1, -three)]), value([(1 / mass, 0), (1 - 1 / mass, two)])]
        high = [value([(1, three)]), value([(1 / mass, 0), (1 - 1 / mass, -two)])]
        return (
            around(max(a for a, _ in low), max(b for _, b in low)),
            around(min(a for a, _ in high), min(b for _, b in high)),
        )

    def law(self, cell: Hashable, count: int) -> ToldLaw:
        """The law of what is published of a cell with this count; cells roll their own dice."""
        return self.kernels[self.checked_cell(cell)].law(count)

    def checked_cell(self, cell: Hashable) -> Label | Fraction:
        """One of the cells."""
        found = next((one for one in self.cells if one == cell), None)
        if found is None:
            raise InputError(f"A cell of the histogram is needed, one of {list(self.cells)}, but got {cell!r}.")
        return found

    def told(self) -> str:
        cells = ", ".join(f"{cell}: {self.windows[cell]}" for cell in self.eligible)
        size = f"{self.n} records in {len(self.cells)} cells"
        return f"histogram of {size}, noisy; exact with some chance in {cells or 'none'}"

    def guarantees(self) -> tuple[Guarantee, ...]:
        drawn = next(iter(self.kernels.values())).scale
        found = max(self.exact if self.eligible else Fraction(0), (self.rest if self.eligible else 0) + 2 / drawn)
        return (
            pure(
                self,
                definition="Pufferfish with one belief (single-prior privacy)",
                hides="for each cell, whether a person is among the records in this cell or is not among them; two "
                "cells against each other may cost twice that",
                attacker=f"believes that {self.n} records are independent, with the stated chances of cells",
                epsilon=Bracket(0.0, around(found, found).upper),
                because="exact cells by their windows, the others by what the exact ones leave and by their noise",
                assumes=(
                    "records are independent and have exactly this law",
                    "chances and eligible cells were chosen without looking at the data",
                    "the noise is drawn as stated",
                ),
                breaks=("an attacker who believes in another law, or knows a record",),
                sources=(SOURCE,),
                notion=Notion.PUFFERFISH,
            ),
        )
