"""Two k-anonymous tables that together tell what Alice has.

Figures 1 and 2 of the chapter on the fundamentals of differential privacy. Run: python examples/papers/two_tables.py
"""

# ruff: noqa: INP001, T201 - a script that prints

from dalenius.papers.definitions.kanonymity import GeneralisedTable, candidates_in_all

COLUMNS = ("zip code", "age", "nationality")


def _table(groups: dict[str, str]) -> GeneralisedTable:
    rows = [("130**", age, "*", condition) for age, found in groups.items() for condition in found.split(", ")]
    return GeneralisedTable.read(COLUMNS, rows)


FIGURE_1 = _table(
    {
        "<30": "AIDS, Heart Disease, Viral Infection, Viral Infection",
        ">40": "Cancer, Heart Disease, Viral Infection, Viral Infection",
        "3*": "Cancer, Cancer, Cancer, Cancer",
    }
)
FIGURE_2 = _table(
    {
        "<35": "AIDS, Tuberculosis, Flu, Tuberculosis, Cancer, Cancer",
        ">35": "Cancer, Cancer, Cancer, Tuberculosis, Viral Infection, Viral Infection",
    }
)
ALICE = {"zip code": "13012", "age": 28}


def main() -> None:
    """Print what each table leaves, and what both do."""
    print("Alice is 28 and lives in zip code 13012. She is in both tables.\n")
    for name, table in (("Figure 1", FIGURE_1), ("Figure 2", FIGURE_2)):
        print(f"{name}: {table.k}-anonymous; she may have {', '.join(sorted(map(str, table.candidates(ALICE))))}")
    both = candidates_in_all([FIGURE_1, FIGURE_2], ALICE)
    print(f"Together: she has {', '.join(sorted(map(str, both)))}")


if __name__ == "__main__":
    main()
