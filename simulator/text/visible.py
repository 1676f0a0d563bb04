"""Recorded text made safe to look at: what cannot be seen is shown as a token, ``⟨U+202E⟩``.

A tool result may hold characters that reorder, hide or overwrite what a person reads (bidirectional
overrides, terminal escapes, zero-width characters). Whoever shows recorded text passes it through
:func:`visible` first; ``player.js`` holds the same table, and a test compares the two.
"""

from __future__ import annotations

import re

HIDDEN = (
    (0x00, 0x08),
    (0x0B, 0x0C),
    (0x0D, 0x1F),
    (0x7F, 0x9F),
    (0xAD, 0xAD),
    (0x61C, 0x61C),
    (0x180E, 0x180E),
    (0x200B, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0xD800, 0xDFFF),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0xE0000, 0xE007F),
)
"""Code point ranges, ends included, that are shown as tokens. Tab and line feed are left alone."""

_PATTERN = re.compile("[" + "".join(f"{chr(a)}-{chr(b)}" for a, b in HIDDEN).replace("\\", "\\\\") + "]")


def visible(text: str) -> str:
    """Return *text* with every hidden or reordering character replaced by a token such as ``⟨U+202E⟩``.

    CR LF is a plain line end and becomes LF.
    """
    return _PATTERN.sub(lambda match: f"⟨U+{ord(match.group()):04X}⟩", text.replace("\r\n", "\n"))
