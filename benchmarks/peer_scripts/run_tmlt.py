"""Tumult Analytics on a local Spark; the start of Spark is not counted."""

import json
import os
import sys
import time

os.environ["PYSPARK_PYTHON"] = sys.executable  # or the workers are another Python

from pyspark.sql import SparkSession
from tmlt.analytics import AddOneRow, KeySet, PureDPBudget, QueryBuilder, Session

spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
frame = spark.read.parquet(sys.argv[1])
frame.count()
started = time.perf_counter()
session = Session.from_dataframe(PureDPBudget(3), "people", frame, protected_change=AddOneRow())
keys = KeySet.from_dict({"region": [f"g{place:02d}" for place in range(50)]})
people = QueryBuilder("people").groupby(keys)
for query in (people.count(), people.sum("age", low=0, high=100), people.sum("income", low=0, high=1000)):
    session.evaluate(query, PureDPBudget(1)).collect()
print(json.dumps({"seconds": time.perf_counter() - started, "note": "after Spark has started"}))
