"""The words the rules know: keys and types of this API, and those that belong to others.

Rules of this file:

1. What the API takes grows with its date, so an unknown type of block or tool is let pass. Refused is only
   what is known to belong to another API; those words are the ``FOREIGN_…`` sets.
2. Keys at the top level and of a message are few and well known; there the API's own set is the measure.
   Betas are in it, since the header that a beta needs is not in a body.
3. The tags that the API lists in its messages are those of the anthropic SDK 2.14, without betas. The real
   list depends on the date and on beta headers.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _tags(text: str) -> str:
    return ", ".join(f"'{word}'" for word in text.split())


KNOWN_KEYS = _words(
    """
    cache_control container inference_geo max_tokens messages metadata model output_config service_tier
    stop_sequences stream system temperature thinking tool_choice tools top_k top_p
    billing_policy compaction context_management diagnostics fallback_credit_token fallbacks mcp_servers
    output_format speed thread user_profile_id
    anthropic_version anthropic_beta
    """
)
"""Top-level keys: of the API, of its betas, and of the same API on other clouds."""

MESSAGE_KEYS = _words("role content output_config clear_at")
"""Keys of a message; the last two belong to betas of role "system"."""

ROLES = ("user", "assistant", "system")

TOOL_CHOICES = ("auto", "any", "tool", "none")

IMAGE_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")

FOREIGN_TOOL_TYPES = _words(
    """
    function web_search web_search_preview file_search code_interpreter computer_use_preview retrieval
    image_generation local_shell mcp object
    """
)
FOREIGN_TOOL_KEYS = _words(
    """
    parameters function handler callable returns inputSchema outputSchema output_schema annotations title
    _meta icons execution
    """
)
"""Of other APIs, of MCP, and of hand-written registries of tools."""

FOREIGN_BLOCK_TYPES = _words(
    """
    image_url input_text output_text input_image input_file input_audio audio audio_url video video_url file
    file_url refusal reasoning reasoning_content message function function_call function_call_output
    tool_call tool_calls tool-call tool-result tool_response tool_output toolUse toolResult item_reference
    resource resource_link drive_file json
    """
)
FOREIGN_IN_RESULTS = FOREIGN_BLOCK_TYPES | _words("tool_use tool_result thinking redacted_thinking")
"""What no tool_result may hold."""

FOREIGN_TEXT_KEYS = _words("id index annotations _meta meta metadata name")
"""Keys of the text blocks of MCP and of frameworks."""

TOOL_TAGS = _tags(
    """
    bash_20250124 browser_toolset_20260801 code_execution_20250522 code_execution_20250825
    code_execution_20260120 code_execution_20260521 computer_toolset_20260801 custom memory_20250818
    text_editor_20250124 text_editor_20250429 text_editor_20250728 tool_search_tool_bm25_20251119
    tool_search_tool_regex_20251119 web_fetch_20250910 web_fetch_20260209 web_fetch_20260309
    web_fetch_20260318 web_search_20250305 web_search_20260209 web_search_20260318
    """
)
BLOCK_TAGS = _tags(
    """
    bash_code_execution_tool_result code_execution_tool_result container_upload document image
    redacted_thinking search_result server_tool_use text text_editor_code_execution_tool_result thinking
    tool_result tool_search_tool_result tool_use web_fetch_tool_result web_search_tool_result
    """
)
RESULT_TAGS = _tags("browser_state document image search_result text tool_reference")
