"""One ``while``, plain dictionaries, and a named exception for every end that is not a good one.

Its policies: retries are the SDK's own. A cut answer ends the run and is told. A failing tool is told to the
model. The history is a list of its own. Streams with ``client.messages.stream``.

Every probe applies to it.
"""

import copy
import json
import re
import threading
import time

import anthropic

PRICES = {
    "input_tokens": 3,
    "output_tokens": 15,
    "cache_creation_input_tokens": 3.75,
    "cache_read_input_tokens": 0.3,
}
"""Dollars for a million."""


class AgentError(Exception):
    """The run did not come to a good end. ``messages``, ``text`` and ``usage`` tell how far it got."""

    def __init__(self, message, **details):
        super().__init__(message)
        self.__dict__.update(details)


class BudgetExceededError(AgentError): ...


class AnswerTruncatedError(AgentError): ...


class ModelRefusedError(AgentError): ...


class UnhandledStopReasonError(AgentError): ...


class TooManyPausesError(AgentError): ...


class NoAnswerError(AgentError): ...


class NotVerifiedError(AgentError): ...


class StuckError(AgentError): ...


class ContextOverflowError(AgentError): ...


class ModelUnavailableError(AgentError): ...


class RunCancelledError(AgentError): ...


def run_agent_loop(
    client,
    messages,
    tools,
    handlers,
    *,
    model="claude-sonnet-5-5",
    max_tokens=4096,
    system=None,
    max_iterations=20,
    max_total_tokens=None,
    max_seconds=None,
    max_cost=None,
    check=None,
    tool_timeout=None,
    context_tokens=None,
    pinned=(),
    max_result_chars=None,
    tool_choice=None,
    subloops=None,
    stream=False,
    cancelled=None,
    on_event=None,
    _depth=0,
    _totals=None,
):
    """Run the agent until the model ends its turn; return its last message, or raise an AgentError."""
    history = take_over(messages)
    opening = len(history)
    started = time.monotonic()
    totals = _totals if _totals is not None else {"requests": 0, "usage": dict.fromkeys(PRICES, 0)}
    state = {"pauses": 0, "rejected": 0, "nudged": False, "repeats": {}, "dropped": 0, "text": ""}

    def emit(kind, **facts):
        if on_event is not None:
            (on_event.append if isinstance(on_event, list) else on_event)(
                {"iteration": totals["requests"], "kind": kind, **facts}
            )

    def give_up(error, message, **details):
        emit("stopped", reason=message)
        details |= {"messages": history, "text": state["text"], "usage": dict(totals["usage"])}
        return error(message, **details)

    def guard():
        if cancelled is not None and cancelled():
            raise give_up(RunCancelledError, "The run was cancelled by its caller.")
        for name, limit, used in (
            ("max_iterations", max_iterations, totals["requests"]),
            ("max_total_tokens", max_total_tokens, sum(totals["usage"].values())),
            ("max_seconds", max_seconds, time.monotonic() - started),
            ("max_cost", max_cost, dollars(totals["usage"])),
        ):
            if limit is not None and used >= limit:
                message = f"Budget exceeded: {name} is {limit}, used {used:g}. There is no final answer yet."
                raise give_up(BudgetExceededError, message, name=name, limit=limit)

    def ask():
        request = {"model": model, "max_tokens": max_tokens, "messages": shown()}
        if tools:
            request["tools"] = tools
        if system or pinned:
            request["system"] = with_facts(system, pinned)
        if tool_choice is not None and state.setdefault("asked", 0) == 0:
            request["tool_choice"] = tool_choice
        state["asked"] = state.get("asked", 0) + 1
        totals["requests"] += 1
        emit("request", messages=len(request["messages"]))
        began = time.monotonic()
        message = stream_message(client, request) if stream else client.messages.create(**request)
        for name in PRICES:
            totals["usage"][name] += getattr(message.usage, name, None) or 0
        emit("response", stop_reason=message.stop_reason, seconds=time.monotonic() - began)
        return message

    def shown():
        if context_tokens is not None and size(whole()) > 0.7 * context_tokens:
            drop_older()
        if context_tokens is not None and size(whole()) > context_tokens:
            raise give_up(ContextOverflowError, f"The context of {context_tokens} tokens is full.")
        return copy.deepcopy(whole())

    def whole():
        if not state["dropped"]:
            return history
        gone = history[opening : state["dropped"]]
        note = {"type": "text", "text": "Earlier steps, summarised:\n" + summary(gone)}
        first = [*history[: opening - 1], {"role": "user", "content": [*blocks(history[opening - 1]), note]}]
        return first + history[state["dropped"] :]

    def drop_older():
        # Only in front of an assistant turn, so that no result loses its call; the last step always stays.
        starts = [n for n in range(opening, len(history)) if history[n]["role"] == "assistant"]
        starts = [n for n in starts if n > state["dropped"] and history[n - 1]["role"] == "user"]
        if not starts:
            return False
        before, was = size(whole()), state["dropped"]
        state["dropped"] = starts[-2] if len(starts) > 1 else starts[-1]
        if size(whole()) > 0.7 * (context_tokens or 1):
            state["dropped"] = starts[-1]
        if size(whole()) >= before:
            state["dropped"] = was
            return False
        emit("compacted", dropped_messages=state["dropped"] - opening, before=before, after=size(whole()))
        return True

    def answer_calls(calls):
        results = []
        for call in calls:
            if cancelled is not None and cancelled():
                results.append(failure(call, "Not run: the run was cancelled."))
                continue
            began = time.monotonic()
            if subloops and call["name"] in subloops:
                result = delegate(call)
            else:
                result = run_tool(call, handlers, tools, tool_timeout, cancelled)
            result["content"] = fitted(result["content"], max_result_chars)
            seconds = time.monotonic() - began
            emit("tool", tool=call["name"], seconds=seconds, failed=result.get("is_error", False))
            results.append(result)
        return results

    def delegate(call):
        if _depth >= 2:
            return failure(call, "Sub-agents may not be nested deeper. Do this step yourself.")
        settings = subloops[call["name"]]
        left = max_iterations - totals["requests"]
        allowed = min(left, settings.get("max_iterations", left))
        inner = {
            "max_iterations": totals["requests"] + allowed,
            "max_seconds": None if max_seconds is None else max_seconds - (time.monotonic() - started),
        }
        try:
            message = run_agent_loop(
                client, [{"role": "user", "content": call["input"].get("task", "")}], settings["tools"],
                handlers, model=model, max_tokens=max_tokens, system=system, max_cost=max_cost,
                max_total_tokens=max_total_tokens,
                tool_timeout=tool_timeout, context_tokens=context_tokens, pinned=pinned,
                max_result_chars=max_result_chars, subloops=subloops, stream=stream, cancelled=cancelled,
                on_event=on_event, _depth=_depth + 1, _totals=totals, **inner,
            )  # fmt: skip
        except AgentError as error:
            return failure(call, f"The sub-agent stopped early: {error}\nIt had got to: {error.text}")
        return {"type": "tool_result", "tool_use_id": call["id"], "content": text_of(message.content)}

    def watch_for_circles(calls, results):
        seen = state["repeats"]
        marks = [json.dumps([c["name"], c["input"], r["content"]], sort_keys=True) for c, r in
                 zip(calls, results, strict=True)]  # fmt: skip
        if any(mark not in seen for mark in marks):
            for mark in seen:
                seen[mark] = 1
        for mark in set(marks):
            seen[mark] = seen.get(mark, 0) + 1
        for mark, call, result in zip(marks, calls, results, strict=True):
            if seen[mark] >= 3:
                message = f"Stuck: {call['name']} was called {seen[mark]} times with the same result."
                raise give_up(StuckError, message, call=call)
            if seen[mark] == 2:
                hint = "\n(You have made this call before, and nothing has changed since. Try another way.)"
                if isinstance(result["content"], str):
                    result["content"] += hint
                else:
                    result["content"].append({"type": "text", "text": hint})

    while True:
        guard()
        try:
            message = ask()
        except anthropic.APIError as error:
            if "prompt is too long" in str(error) and drop_older():
                continue
            if "prompt is too long" in str(error):
                raise give_up(ContextOverflowError, f"The context is full: {error}") from error
            raise give_up(ModelUnavailableError, f"The model could not be reached: {error}") from error
        content = [block.to_dict(warnings=False) for block in message.content]
        content = [b for b in content if b["type"] != "text" or b["text"].strip()]
        calls = [block for block in content if block["type"] == "tool_use"]
        state["text"] = text_of(message.content) or state["text"]
        reason = message.stop_reason
        if reason in ("tool_use", "pause_turn") and calls:
            history.append({"role": "assistant", "content": content})
            results = answer_calls(calls)
            history.append({"role": "user", "content": results})
            watch_for_circles(calls, results)
            state["pauses"] = 0
        elif reason == "pause_turn":
            state["pauses"] += 1
            if state["pauses"] > 8:
                raise give_up(TooManyPausesError, "The turn was paused (pause_turn) nine times in a row.")
            if content:
                history.append({"role": "assistant", "content": content})
        elif reason in ("end_turn", "stop_sequence"):
            state["pauses"] = 0
            final = text_of(message.content).strip()
            if not final and state["nudged"]:
                raise give_up(NoAnswerError, "The model ended its turn with an empty answer, twice.")
            problem = check(final, copy.deepcopy(history)) if final and check is not None else None
            if final and problem is None:
                emit("done", usage=dict(totals["usage"]), dollars=dollars(totals["usage"]))
                return message
            without_calls = [b for b in content if b["type"] != "tool_use"]
            if without_calls:
                history.append({"role": "assistant", "content": without_calls})
            if not final:
                state["nudged"] = True
                history.append({"role": "user", "content": "You said nothing. What is the result?"})
                continue
            state["rejected"] += 1
            emit("check_failed", problem=problem)
            if state["rejected"] > 3:
                raise give_up(
                    NotVerifiedError, f"The answer could not be verified: {problem}", problem=problem
                )
            history.append({"role": "user", "content": f"Your work does not pass the check: {problem}"})
        else:
            text = [block for block in content if block["type"] != "tool_use"]
            if text:
                history.append({"role": "assistant", "content": text})
            if reason == "max_tokens":
                raise give_up(
                    AnswerTruncatedError, f"The answer was cut off at {max_tokens} tokens: incomplete."
                )
            if reason == "refusal":
                raise give_up(ModelRefusedError, "The model refused to answer (refusal).")
            if reason == "model_context_window_exceeded":
                raise give_up(ContextOverflowError, "The answer ran into the end of the context window.")
            raise give_up(
                UnhandledStopReasonError, f"stop_reason {reason!r} is not handled.", stop_reason=reason
            )


def take_over(messages):
    """Copy the caller's messages, and answer the calls that an interrupted run left open."""
    turns = []
    for message in messages:
        role, content = message["role"], message["content"]
        if not isinstance(content, str):
            content = [b if isinstance(b, dict) else b.to_dict(warnings=False) for b in content]
            content = [b for b in copy.deepcopy(content) if b.get("type") != "text" or b["text"].strip()]
        turns.append({"role": role, "content": content})
    place = 0
    while place < len(turns):
        open_calls = [b for b in blocks(turns[place]) if b["type"] == "tool_use"]
        after = turns[place + 1] if place + 1 < len(turns) else {"role": "assistant", "content": ""}
        given = {b.get("tool_use_id") for b in blocks(after) if after["role"] == "user"}
        lost = [
            failure(
                call, f"{call['name']} was interrupted and may have taken effect. Look before you repeat it."
            )
            for call in open_calls
            if call["id"] not in given
        ]
        if lost and after["role"] == "user":
            done = [b for b in blocks(after) if b["type"] == "tool_result"]
            rest = [b for b in blocks(after) if b["type"] != "tool_result"]
            turns[place + 1] = {"role": "user", "content": [*done, *lost, *rest]}
        elif lost:
            turns.insert(place + 1, {"role": "user", "content": lost})
        place += 1
    turns = [turn for turn in turns if turn["content"]]
    if turns and turns[-1]["role"] == "assistant":
        last = turns[-1]["content"]
        if isinstance(last, str) or last[-1]["type"] == "text":
            turns.append({"role": "user", "content": "Continue."})
    return turns


def blocks(turn):
    content = turn["content"]
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return content


def text_of(content):
    return "".join(block.text for block in content if block.type == "text")


def stream_message(client, request):
    """Return the message of a stream that arrived whole; one that did not is asked for anew, as a whole."""
    for attempt in range(3):
        finished = False
        try:
            with client.messages.stream(**request) as events:
                for event in events:
                    finished = finished or event.type == "message_stop"
                if finished:
                    return events.get_final_message()
        except anthropic.APIStatusError as error:
            if error.status_code != 200:  # The SDK has tried again by itself.
                raise
            if not any(word in str(error) for word in ("overloaded", "api_error", "rate_limit")):
                raise
        time.sleep(1 + attempt)
    raise AgentError("The stream was cut off three times; nothing of it was used.", text="")


def dollars(usage):
    return sum(usage[name] * price for name, price in PRICES.items()) / 1_000_000


def with_facts(system, pinned):
    facts = "\n".join(pinned)
    if not facts:
        return system
    if isinstance(system, list):
        return [*system, {"type": "text", "text": facts}]
    return f"{system}\n\n{facts}" if system else facts


def size(messages):
    return len(json.dumps(messages)) // 4


def summary(turns):
    lines = []
    for turn in turns:
        for block in blocks(turn):
            if block["type"] == "text":
                lines.append(f"{turn['role']}: {block['text'][:200]}")
            elif block["type"] == "tool_use":
                lines.append(f"called {block['name']} with {json.dumps(block['input'])}")
            elif block["type"] == "tool_result":
                lines.append(f"which said: {str(block['content'])[:200]}")
    return "\n".join(lines)


def failure(call, text):
    return {"type": "tool_result", "tool_use_id": call["id"], "content": text, "is_error": True}


def run_tool(call, handlers, tools, timeout, cancelled):
    """Return the result block of one call; its failure is a message to the model."""
    name = call["name"]
    if name not in handlers:
        names = ", ".join(tool["name"] for tool in tools)
        return failure(call, f"Unknown tool {name!r}. Available tools: {names}. Call one of them.")
    box = {}

    def work():
        try:
            box["value"] = handlers[name](**call["input"])
        except BaseException as error:
            box["error"] = error

    if timeout is None and cancelled is None:
        work()
    else:
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        waited = 0.0
        while thread.is_alive() and (timeout is None or waited < timeout):
            thread.join(0.02)
            waited += 0.02
            if cancelled is not None and cancelled():
                break
        if thread.is_alive():
            text = f"{name} timed out and may yet take effect. Look before repeating it."
            return failure(call, text)
    error = box.get("error")
    if isinstance(error, Exception):
        reason = str(error).strip().splitlines() or ["no message"]
        reason = reason[-1:] if reason[0].startswith("Traceback") else reason
        reason = re.sub(r"\bsk-\S+|(api_?key|token|password)=\S+", "[removed]", "\n".join(reason))
        text = f"{name} failed: {type(error).__name__}: {reason}"
        return failure(call, f"{text}\nCorrect the input ({json.dumps(call['input'])}) or try another way.")
    if error is not None:
        raise error  # Ctrl-C is not a message to the model.
    return {"type": "tool_result", "tool_use_id": call["id"], "content": as_content(box["value"])}


def as_content(value):
    if isinstance(value, str):
        return value or "(empty)"
    if value is None:
        return "(nothing)"
    if isinstance(value, list) and value and all(isinstance(v, dict) and "type" in v for v in value):
        return [v for v in value if v["type"] != "text" or v["text"].strip()] or "(empty)"
    return json.dumps(value, ensure_ascii=False)


def fitted(content, limit):
    text = content if isinstance(content, str) else "\n".join(block.get("text", "") for block in content)
    if limit is None or len(text) <= limit:
        return content
    notice = f" [... truncated: {len(text)} characters in all]"
    return text[: max(0, limit - len(notice))] + notice
