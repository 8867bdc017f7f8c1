// The records of a proximity graph by hand, many rows a statement; benchmarks/graph.py compares with it.
UNWIND $rows AS row
CREATE (:Record {dataset: $dataset, position: row, id: row})
