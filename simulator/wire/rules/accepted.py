"""What the API accepts although it once refused it, or is believed to; and what no body can show.

A reader who misses a rule in the table finds it here, with the reason.
"""

from __future__ import annotations

from simulator.wire.rules.table import Accepted, Unjudged

ACCEPTED = (
    Accepted(
        "same_role_neighbours",
        "several user or several assistant messages in a row",
        "the API merges them into one turn; indices in its errors count the merged turns",
        (33,),
        (
            'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles '
            "in a row",
        ),
    ),
    Accepted(
        "calls_in_several_messages",
        "two assistant messages with one tool_use each, answered by one user message",
        "merging comes before pairing",
    ),
    Accepted(
        "results_in_several_messages",
        "the results of one turn's calls in several user messages in a row",
        "merging comes before pairing",
    ),
    Accepted(
        "history_without_tools",
        "tool_use and tool_result in the history of a request without tools",
        "relaxed on 27 February 2025, by a maintainer's word",
        (30,),
        ("Requests which include `tool_use` or `tool_result` blocks must define tools.",),
    ),
    Accepted(
        "assistant_first",
        "a conversation that begins with the assistant",
        "recorded with an answer 200",
    ),
    Accepted(
        "text_after_results",
        "text after the tool_results of a user turn",
        "recorded with an answer 200, often; before or between them it is refused",
    ),
    Accepted(
        "results_in_any_order",
        "results in another order than the calls",
        "each is found by its id",
    ),
    Accepted(
        "blank_assistant_text",
        "a blank text block in an assistant message",
        "recorded with an answer 200",
    ),
    Accepted(
        "empty_assistant",
        "an assistant message with no content",
        "the sentence of 2026 speaks of user messages only",
        (39,),
        (
            "messages.1: all messages must have non-empty content except for the optional final assistant "
            "message",
        ),
    ),
    Accepted(
        "empty_user_in_a_run",
        "an empty user message beside one that is not",
        "the turn they are merged into is not empty",
        (41,),
    ),
    Accepted(
        "same_id_in_two_turns",
        "a tool_use id that an earlier turn used too",
        "recorded with an answer 200; ids have to be unique within one merged turn",
        (9,),
    ),
    Accepted(
        "any_id",
        "a tool_use id that the API did not make: call_1, auto_load_0f10",
        "any id that matches ^[a-zA-Z0-9_-]+$ will do",
    ),
    Accepted(
        "result_content_of_any_kind",
        "tool_result content as a string, as a list of blocks, or left out",
        "recorded with an answer 200 in each form; tool_reference needs no beta any more",
        (25,),
    ),
    Accepted(
        "system_turn",
        "role system inside messages, after a user turn, on current models",
        "recorded with an answer 200 on opus 4.8 and fable 5",
    ),
    Accepted(
        "beta_keys",
        "keys that need a beta header: context_management, defer_loading, strict, input_examples",
        "the header is not in the body, and several need none any more",
        (65, 98),
    ),
    Accepted(
        "adaptive_thinking_forced",
        "adaptive thinking together with a forced tool",
        "only thinking.type enabled excludes it",
        (73,),
    ),
    Accepted(
        "paused_turn_last",
        "an assistant turn with server tools as the last one",
        "that is how a pause_turn is continued; prefill is a last turn of text",
        (45, 27),
    ),
    Accepted(
        "results_by_number",
        "on models of 2024, a result that answers its call under another id",
        "recorded with an answer 200 on claude-3-opus: the API of that time counted results (row 3)",
        (3,),
    ),
    Accepted(
        "no_tokens",
        "max_tokens 0",
        "it fills the prompt cache without generating anything",
        (90,),
        ("max_tokens: must be greater than or equal to 1",),
    ),
)

UNJUDGED = (
    Unjudged((78,), "which conversation a signature is bound to is known to the API alone"),
    Unjudged((91,), "tokens are counted by the model's tokenizer"),
    Unjudged((101,), "not a matter of the loop's conversation"),
    Unjudged((102,), "a header, not the body"),
    Unjudged((103,), "the size of images is no matter of a loop, and the limits differ by model"),
    Unjudged((105, 106, 107), "the account and the answer, not the request"),
)
