"""``python -m simulator`` is the command ``simulator``."""

from simulator.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
