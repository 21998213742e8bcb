"""diffprivlib: geometric noise on counts, bounded sums, group by group."""

import json
import sys
import time
import warnings

import pyarrow.parquet as pq
from diffprivlib import tools

warnings.simplefilter("ignore")
started = time.perf_counter()
table = pq.read_table(sys.argv[1]).to_pandas()
for _, group in table.groupby("region", sort=False):
    tools.count_nonzero(group.id.to_numpy() >= 0, epsilon=0.1)
    tools.sum(group.age.to_numpy(), epsilon=0.1, bounds=(0, 100))
    tools.sum(group.income.to_numpy(), epsilon=0.1, bounds=(0, 1000))
print(json.dumps({"seconds": time.perf_counter() - started}))
