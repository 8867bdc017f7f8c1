// Parameters of the saved queries: change them to your dataset and questions, then run this first
:params {dataset: "survey", epsilon: 1.0, k: 5, record: "r1", hamming_group: 0, run: "a", grouping: "groups"}
