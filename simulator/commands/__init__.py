"""The commands of ``simulator``: one module each, with ``main(argv) -> exit status``."""
