"""A coding agent of one file, with a shell and an editor."""

import subprocess
import sys
from pathlib import Path

import anthropic

TOOLS = [
    {"type": "bash_20250124", "name": "bash"},
    {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"},
]


def bash(command=None, restart=False):
    if restart:
        return "restarted", False
    try:
        done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "timed out after 120 s", True
    return (done.stdout + done.stderr).strip() or "(no output)", done.returncode != 0


def edit(command, path, **rest):
    file = Path(path)
    try:
        if command == "view":
            return file.read_text(encoding="utf-8"), False
        if command == "create":
            file.write_text(rest["file_text"], encoding="utf-8")
            return "created", False
        text = file.read_text(encoding="utf-8")
        if text.count(rest["old_str"]) != 1:
            return "old_str must occur exactly once", True
        file.write_text(text.replace(rest["old_str"], rest["new_str"]), encoding="utf-8")
        return "edited", False
    except OSError as error:
        return str(error), True


def main():
    client = anthropic.Anthropic()
    messages = [{"role": "user", "content": " ".join(sys.argv[1:])}]
    max_turns = 50
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=8000, tools=TOOLS, messages=messages)
        messages.append({"role": "assistant", "content": response.content})
        results = []
        for block in response.content:
            if block.type == "text":
                print(block.text)
            elif block.type == "tool_use":
                print(f"$ {block.name} {block.input}")
                run = bash if block.name == "bash" else edit
                output, failed = run(**block.input)
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": output, "is_error": failed})
        if response.stop_reason != "tool_use":
            sys.exit(0 if response.stop_reason == "end_turn" else f"stopped: {response.stop_reason}")
        messages.append({"role": "user", "content": results})
    sys.exit("too many turns")


if __name__ == "__main__":
    main()
