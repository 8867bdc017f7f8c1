"""What tests of codebooks share."""

import pytest


@pytest.fixture
def written(tmp_path):
    def write(text, name="survey.toml"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write
