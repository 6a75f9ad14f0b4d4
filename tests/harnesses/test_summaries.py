"""An agent's closing words, as each program's stream tells them: the main agent's own, and the newest."""

from typing import Any

from harnesses.streams.claude_code import ClaudeCodeStream
from harnesses.streams.codex import CodexStream


def said(identity: str, *texts: str, tool: bool = False, parent: str | None = None) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": text} for text in texts]
    content += [{"type": "tool_use", "id": f"{identity}-call", "name": "Bash", "input": {}}] if tool else []
    return {"type": "assistant", "message": {"id": identity, "content": content}, "parent_tool_use_id": parent}


def test_claude_code() -> None:
    stream = ClaudeCodeStream()
    assert stream.summary == ""
    for event in (
        said("m1", "First I look.", tool=True),
        said("m2", "Both are done."),
        said("m2", tool=True),
        said("m3", "A subagent's words.", parent="m2-call"),
    ):
        list(stream.see(event))
    assert stream.summary == "Both are done."


def test_codex() -> None:
    stream = CodexStream(10)
    assert stream.summary == ""
    for kind, text in (("agent_message", "First I look."), ("agent_message", "It is done."), ("reasoning", "Hm.")):
        for event in ("item.started", "item.completed"):
            list(stream.see({"type": event, "item": {"id": text, "type": kind, "text": text}}))
    assert stream.summary == "It is done."
