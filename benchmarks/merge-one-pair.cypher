// The plain way to load a proximity graph, which benchmarks/graph.py compares with: one statement a pair, each a
// transaction of its own. The records are there already, and a key finds them.
MATCH (a:Record {dataset: $dataset, position: $left})
MATCH (b:Record {dataset: $dataset, position: $right})
MERGE (a)-[p:PROXIMATE]->(b)
ON CREATE SET p.distance = $distance
