"""One table in every form that dalenius reads."""

import csv
import gzip
import io
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

FORMS = ("csv", "parquet", "pandas", "polars")
OTHER_FORMS = ("csv.gz", "tsv", "tsv.gz", "pyarrow")


def write_text(path: Path, data: dict[str, list], *, delimiter: str = ",") -> Path:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(data)
    writer.writerows(zip(*data.values(), strict=True))
    content = text.getvalue().encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def in_form(form: str, data: dict[str, list], folder: Path) -> object:
    """The data as a file or a frame, for `open_table`."""
    match form:
        case "csv" | "csv.gz":
            return write_text(folder / f"people.{form}", data)
        case "tsv" | "tsv.gz":
            return write_text(folder / f"people.{form}", data, delimiter="\t")
        case "parquet":
            pq.write_table(pa.table(data), folder / "people.parquet")
            return folder / "people.parquet"
        case "pandas":
            return pd.DataFrame(data)
        case "polars":
            return pl.DataFrame(data)
        case "pyarrow":
            return pa.table(data)
    raise AssertionError(form)
