"""An ordinary loop whose ways to stop and to give results can be exchanged: right ones and wrong ones."""

from simulator.recording.scenario import ToolFailed
from simulator.wire.message import calls


def play(session, *, stop=lambda response: response.stop_reason != "tool_use", results=None, limit=40):
    """Run an ordinary loop on *session* that stops and gives results in its own way; return all responses."""
    messages, responses = session.messages, []
    for _ in range(limit):
        response = ask(session, messages, session.max_tokens)
        responses.append(response)
        messages.append({"role": "assistant", "content": response.content})
        if stop(response):
            break
        answers = [answer(session, block) for block in response.content if block.type == "tool_use"]
        messages += (results or (lambda given: [{"role": "user", "content": given}]))(answers)
    return responses


def is_calm(chosen):
    """Return whether an ordinary loop comes along the main line: nothing is refused, broken, cut, hung."""
    main = [chosen.recording.exchanges[index] for index in chosen.about.main]
    stops = [(exchange.message or {}).get("stop_reason") for exchange in main]
    words = [result for entry in chosen.about.handlers for result in entry["results"]]
    known = {tool["name"] for tool in chosen.tools}
    return (
        chosen.about.resume is None
        and set(stops[:-1]) <= {"tool_use"}
        and stops[-1] not in (None, "tool_use")
        and not any(isinstance(result, dict) for result in words)
        and all(call["name"] in known for call in _called(main))
        and all(block.get("text", "-").strip() for each in main for block in each.message["content"])
    )


def _called(exchanges):
    return calls(
        {"role": "assistant", "content": each.message["content"]} for each in exchanges if each.message
    )


def ask(session, messages, max_tokens=1024):
    return session.client.messages.create(
        model=session.model, max_tokens=max_tokens, messages=messages, tools=session.tools
    )


def answer(session, block):
    """Return the tool_result of one call, a failure as is_error."""
    result = {"type": "tool_result", "tool_use_id": block.id}
    try:
        return {**result, "content": session.handlers[block.name](**block.input)}
    except ToolFailed as failure:
        return {**result, "content": str(failure), "is_error": True}


def said(response):
    return "".join(block.text for block in response.content if block.type == "text")


def at_end_turn(response):
    return response.stop_reason == "end_turn"


def never(_):
    return False


def only_results(given):
    """Return the user turn of the results *given*; none where there were no calls."""
    return [{"role": "user", "content": given}] if given else []
