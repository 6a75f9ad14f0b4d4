#!/usr/bin/env python3
"""A small agent program for tests: chat completions with one tool, an event a line on stdout, a hook at each step boundary.

Usage: toy_agent.py MODEL <prompt, with TOY_KEY, TOY_BASE_URL and TOY_HOOK in the environment. It uses nothing of the project.
"""

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from typing import Any

BASH = {"type": "object", "properties": {"command": {"type": "string"}}}
TOOLS = [{"type": "function", "function": {"name": "bash", "parameters": BASH}}]


def say(kind: str, **fields: object) -> None:
    print(json.dumps({"type": kind, **fields}), flush=True)


def ask(messages: list[object]) -> dict[str, Any]:
    say("asking")
    body = json.dumps({"model": sys.argv[1], "messages": messages, "tools": TOOLS}).encode()
    headers = {"authorization": f"Bearer {os.environ['TOY_KEY']}", "content-type": "application/json"}
    request = urllib.request.Request(f"{os.environ['TOY_BASE_URL']}/chat/completions", body, headers)
    with urllib.request.urlopen(request, timeout=600) as answer:
        told: dict[str, Any] = json.load(answer)
        return told


def heard(event: str) -> str:
    """What the hook brings."""
    done = subprocess.run(["sh", "-c", f"{os.environ['TOY_HOOK']} {event}"], input=b"{}", capture_output=True, check=False)
    told = json.loads(done.stdout or b"{}")
    return told.get("hookSpecificOutput", {}).get("additionalContext") or told.get("reason") or ""


def use(call: dict[str, Any]) -> dict[str, Any]:
    command = json.loads(call["function"]["arguments"]).get("command", "")
    say("call", command=command)
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr + heard("PostToolUse")
    say("result", command=command)
    return {"role": "tool", "tool_call_id": call["id"], "content": said}


def main() -> None:
    if sys.argv[1:] == ["--version"]:
        print("toy 0.1")
        return
    messages: list[object] = [{"role": "user", "content": sys.stdin.read()}]
    say("start")
    while True:
        try:
            answer = ask(messages)
        except urllib.error.HTTPError as error:
            say("error", status=error.code, message=error.read().decode("utf-8", "replace"))
            sys.exit(1)
        message = answer["choices"][0]["message"]
        messages.append(message)
        say("answer", usage=answer.get("usage"), text=message.get("content") or "")
        if calls := message.get("tool_calls"):
            messages += [use(call) for call in calls]
        elif more := heard("Stop"):
            messages.append({"role": "user", "content": more})
        else:
            say("end")
            return


if __name__ == "__main__":
    main()
