"""What the cheat suite prints: a table by kind, what was not tried and why, what got through, the counts."""

from collections.abc import Sequence

from tabulate import tabulate

from eval.selftest.attack import Kind, Result


def render(results: Sequence[Result], sandbox: str) -> str:
    """The whole text; its last line is `N attacks tried, N beaten`."""
    rows = []
    for kind in Kind:
        of_kind = [one for one in results if one.attack.kind is kind]
        if of_kind:
            rows.append([kind.value, len(of_kind), sum(one.tried for one in of_kind), sum(one.beaten for one in of_kind)])
    lines = [f"attacks in the sandbox {sandbox}", tabulate(rows, ["an agent that", "attacks", "control worked", "beaten"])]
    lines += [f"not tried  {one.attack.name}: {one.untried}" for one in results if not one.tried]
    lines += [f"GOT THROUGH  {one.attack.name} ({one.attack.kind}): {one.gained}" for one in results if one.gained]
    lines.append(f"{sum(one.tried for one in results)} attacks tried, {sum(one.beaten for one in results)} beaten")
    return "\n".join(lines) + "\n"
