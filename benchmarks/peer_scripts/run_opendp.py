"""OpenDP with polars: counts and sums by region, in one query."""

import json
import sys
import time

import opendp.prelude as dp
import polars as pl

dp.enable_features("contrib")
names = [f"g{place:02d}" for place in range(50)]
started = time.perf_counter()
context = dp.Context.compositor(
    data=pl.scan_parquet(sys.argv[1]),
    privacy_unit=dp.unit_of(contributions=1),
    privacy_loss=dp.loss_of(epsilon=1.0),
    split_evenly_over=1,
    margins=[dp.polars.Margin(by=["region"], invariant="keys", max_length=2_000_000, max_groups=50)],
)
query = (
    context.query()
    .group_by("region")
    .agg(dp.len(), pl.col.age.dp.sum(bounds=(0, 100)), pl.col.income.dp.sum(bounds=(0, 1000)))
)
query.release().collect()
print(json.dumps({"seconds": time.perf_counter() - started}))
