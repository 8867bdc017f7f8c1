"""Load a sample in a process of its own, in small pieces, so that a test can kill it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from graph.samples import sample, send
from ratingpriv.graph import open_store


def main() -> None:
    uri, name, records, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    data = sample(name, records, seed=seed)
    step = max(1, data.spec.pairs // 10)
    with open_store(uri) as store, store.begin_dataset(data.spec) as sink:
        sink.batch_size = step
        send(sink, data, pairs=0)
        for start in range(0, data.spec.pairs, step):
            sink.add_pairs(data.pairs[start : start + step])
            sys.stdout.write(f"{start + step}\n")
            sys.stdout.flush()
            sys.stdin.readline()  # the parent says when to go on
        sink.finish()


if __name__ == "__main__":
    main()
