"""The notebooks as they are committed: whole, without outputs, without a word about anybody's machine."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))


def test_the_first_two_are_there() -> None:
    assert [path.name for path in NOTEBOOKS][:2] == ["01_step_the_loop.ipynb", "02_one_line_missing.ipynb"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_valid_and_holds_no_outputs(path: Path) -> None:
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    for cell in book.cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None
        assert cell.metadata == {}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_names_a_kernel_that_everybody_has_and_no_machine(path: Path) -> None:
    book = nbformat.read(path, as_version=4)
    assert book.metadata == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    assert not re.search(r"/home/|/Users/|/root|[A-Z]:\\\\|https?://", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_begins_with_a_heading_and_every_code_cell_compiles(path: Path) -> None:
    book = nbformat.read(path, as_version=4)
    assert book.cells[0].source.startswith("# ")
    for cell in book.cells:
        if cell.cell_type == "code":
            compile(cell.source, f"{path.stem}:{cell.id}", "exec")
