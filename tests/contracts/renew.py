"""Compile every contract of this folder anew: ``python -m tests.contracts.renew [names]``.

``loop.py`` and ``report.md`` beside a ``contract.json`` are what ``simulator compile`` makes of it, byte for
byte. Whoever changes the templates, the report or a contract runs this and reads the difference.
"""

from __future__ import annotations

import sys
from pathlib import Path

from simulator.contract import loop_source, read, report

HERE = Path(__file__).parent


def pairs(names: list[str] | None = None) -> list[Path]:
    """Return the folders that hold a contract, those of *names* only where there are any."""
    found = [path.parent for path in sorted(HERE.glob("*/contract.json"))]
    return [folder for folder in found if not names or folder.name in names]


def compiled(folder: Path) -> dict[str, bytes]:
    """Return what the contract of *folder* is compiled to: file name -> bytes."""
    contract = read(folder / "contract.json")
    source = loop_source(contract)
    page = report(contract, source, lang="en")
    return {"loop.py": source.encode("utf-8"), "report.md": page.encode("utf-8")}


def main() -> None:
    """Write what is compiled, and say what became different."""
    for folder in pairs(sys.argv[1:]):
        for name, content in compiled(folder).items():
            path = folder / name
            if not path.exists() or path.read_bytes() != content:
                path.write_bytes(content)
                print(f"{folder.name}/{name}")


if __name__ == "__main__":
    main()
