// The pairs of a proximity graph by hand, many rows a statement: neither counted, nor resumable, nor without a moment in
// which half of them are there.
UNWIND $rows AS row
MATCH (a:Record {dataset: $dataset, position: row[0]})
MATCH (b:Record {dataset: $dataset, position: row[1]})
CREATE (a)-[:PROXIMATE {distance: row[2]}]->(b)
