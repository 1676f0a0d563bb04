"""JSON Schema, imported without what takes seconds and no schema of ours asks for.

Where JupyterLab is installed, ``jsonschema`` finds ``rfc3987_syntax`` as well, for its check of the format
``iri``, and importing that compiles a grammar: over two seconds of work before the first ``simulator step``.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import cast

_SLOW = "rfc3987_syntax"


def library() -> ModuleType:
    """Return the module ``jsonschema``; whoever imported it first decides whether ``iri`` can be checked."""
    with_it = "jsonschema" in sys.modules or _SLOW in sys.modules
    if not with_it:
        # None makes the import of it fail, which jsonschema takes for "not installed".
        sys.modules[_SLOW] = cast(ModuleType, None)
    try:
        import jsonschema

        return jsonschema
    finally:
        if not with_it:
            del sys.modules[_SLOW]
