"""What `crosstalk run` is asked for: a field an option, and the plan's choice made of them."""

import inspect
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import typer

from sandboxes.errors import SetupError

if TYPE_CHECKING:
    from eval.plan import Choice
    from harnesses.base import Harness
    from harnesses.registry import ModelWay
    from instances.model import Instance
    from sandboxes.base import SandboxFactory

_Request = TypeVar("_Request")


class SandboxName(StrEnum):
    LOCAL = "local"
    DOCKER = "docker"
    UNISOLATED = "unisolated"


class ShownName(StrEnum):
    NOTHING = "nothing"
    REQUIREMENTS = "requirements"
    SUMMARIES = "summaries"


PROCESSORS = os.cpu_count() or 1


Jobs = Annotated[int, typer.Option(min=1, help="Cells at a time.", show_default="processors")]
MaxCost = Annotated[
    float | None, typer.Option(min=0.0, help="Start no more cells once so many US dollars are used, retried attempts included.")
]
MaxTokens = Annotated[
    float | None, typer.Option(min=0.0, help="Start no more cells once so many effective tokens are used, likewise.")
]
RetryWait = Annotated[
    float, typer.Option(min=0.0, help="Seconds before a cell is tried again after a provider's fault; doubled each time.")
]


@dataclass(frozen=True)
class RunRequest:
    """The options of `crosstalk run`, each with what it is called and what its help says."""

    instances: Annotated[
        list[str] | None,
        typer.Option("--instances", "-i", help="A family, an id, a glob of ids, or a path; repeatable. All by default."),
    ] = None
    scenarios: Annotated[
        list[str] | None,
        typer.Option("--scenarios", "-s", help="Names, groups, or a YAML file, comma-separated or repeated. All by default."),
    ] = None
    harness: Annotated[
        str, typer.Option(help="The agent program: replay, claude-code, codex, mini-swe-agent, opencode, or module.Class.")
    ] = "replay"
    model: Annotated[
        str | None,
        typer.Option(
            help="Of the program's own vendor, or any other as LiteLLM takes it; `scripted`: the scripted model server plays it."
        ),
    ] = None
    model_url: Annotated[str | None, typer.Option(help="An endpoint of one's own that serves it, such as vLLM's.")] = None
    model_key: Annotated[str | None, typer.Option(help="The environment variable that holds its key.")] = None
    reconciler_model: Annotated[
        str | None, typer.Option(help="Combine by this model too, as LiteLLM takes it, or as the endpoint names it.")
    ] = None
    reconciler_url: Annotated[str | None, typer.Option(help="Its endpoint with OpenAI's chat completions.")] = None
    reconciler_key: Annotated[str | None, typer.Option(help="The environment variable that holds its key.")] = None
    reconciler_shown: Annotated[
        ShownName,
        typer.Option(help="What it sees beside the base and both diffs: nothing, the requirements, the lanes' summaries."),
    ] = ShownName.NOTHING
    repeats: Annotated[int, typer.Option(min=1, help="Cells for each instance and scenario.")] = 1
    jobs: Jobs = PROCESSORS
    seed: Annotated[int, typer.Option(help="Of the schedule of scripted lanes, of orders, of resampling.")] = 0
    out: Annotated[Path | None, typer.Option(help="The results folder; results/<time> by default.")] = None
    sandbox: Annotated[SandboxName, typer.Option(help="Where lanes and tests run.")] = SandboxName.LOCAL
    max_steps: Annotated[int, typer.Option(min=1, help="Tool calls of one turn.")] = 200
    max_minutes: Annotated[float, typer.Option(min=0.01, help="Minutes of one turn.")] = 30.0
    max_cost_usd: MaxCost = None
    max_effective_tokens: MaxTokens = None
    retry_wait: RetryWait = 30.0
    yes: Annotated[bool, typer.Option("--yes", help="Start without asking, whatever a model may cost.")] = False
    unsound: Annotated[bool, typer.Option("--unsound", help="Run instances too that were not checked, or not sound.")] = False

    def folder(self) -> Path:
        """Where the results go, by the clock where the user names nothing."""
        return self.out or Path("results") / datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%SZ")

    def instance_terms(self) -> list[str]:
        """Raises SetupError where one is empty."""
        return _terms(self.instances, "--instances")

    def model_way(self) -> "ModelWay | None":
        """The way to the model, where it is not its provider's own.

        Raises:
            SetupError: the endpoint's address is none.
        """
        from harnesses.registry import ModelWay

        if self.model_url is not None and not re.match(r"https?://[^/]", self.model_url):
            raise SetupError(f"--model-url {self.model_url}: is no http or https address")
        return ModelWay(self.model_url, self.model_key) if self.model_url or self.model_key else None

    def reconciler_asks(self) -> Mapping[str, str | None] | None:
        """Which model combines and the way to it; `None` where none is to.

        Raises:
            SetupError: there is a way, and no model.
        """
        if self.reconciler_model:
            return {
                "model": self.reconciler_model,
                "url": self.reconciler_url,
                "key_variable": self.reconciler_key,
                "shown": self.reconciler_shown.value,
            }
        if self.reconciler_url or self.reconciler_key or self.reconciler_shown is not ShownName.NOTHING:
            raise SetupError("--reconciler-url, --reconciler-key and --reconciler-shown go with --reconciler-model")
        return None

    def choice(self, instances: "Sequence[Instance]", program: "Harness") -> "Choice":
        """What the plan is made of.

        Raises:
            SetupError: the options name what there is not, or do not go together.
        """
        from eval.plan import Choice
        from eval.prices import price_table, why_unpriced
        from eval.records import BudgetRecord
        from harnesses.base import Configuration, Limits
        from reconcilers import RECONCILERS
        from reconcilers.registry import MODEL
        from scenarios.catalog import select

        asks = self.reconciler_asks()
        models = [] if program.scripted else [self.model]
        models += [self.reconciler_model] if asks else []
        # What an endpoint of one's own costs, no price map knows.
        priced = [one for one in models if one != self.model or not self.model_url]
        prices = price_table("" if self.model_url else self.harness, priced) if models else None
        if self.max_cost_usd is not None and (reason := why_unpriced(prices, models)):
            raise SetupError(f"--max-cost-usd cannot be kept: {reason}")
        return Choice(
            instances=instances,
            scenarios=select(_terms(self.scenarios, "--scenarios")),
            configuration=Configuration(self.harness, self.model, self._parameters()),
            harness=program,
            sandboxes=sandboxes_named(self.sandbox),
            reconcilers=[*RECONCILERS, *([MODEL] if asks else [])],
            reconciler_model=asks,
            repeats=self.repeats,
            seed=self.seed,
            limits=Limits(self.max_steps, self.max_minutes),
            prices=prices,
            budget=BudgetRecord(max_cost_usd=self.max_cost_usd, max_effective_tokens=self.max_effective_tokens),
        )

    def _parameters(self) -> dict[str, str | None]:
        way = self.model_way()
        return {"url": way.url, "key_variable": way.key_variable} if way else {}


def takes(request: type[_Request]) -> Callable[[Callable[[_Request], None]], Callable[..., None]]:
    """Makes of a function of one request a command with an option for each of the request's fields."""

    def decorate(function: Callable[[_Request], None]) -> Callable[..., None]:
        def command(**options: Any) -> None:
            function(request(**options))

        hints = get_type_hints(request, include_extras=True)
        # Typer reads a command's options from its signature and its annotations.
        command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [
                inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=hints[one.name])
                for one in fields(request)  # type: ignore[arg-type]
            ]
        )
        command.__annotations__ = hints
        command.__name__, command.__doc__ = function.__name__, function.__doc__
        return command

    return decorate


def sandboxes_named(name: SandboxName, run: Path | None = None) -> "SandboxFactory":
    """What opens sandboxes of a kind; for a run, what they leave behind bears its results folder's name."""
    from sandboxes.docker import DockerSandboxFactory
    from sandboxes.local import LocalSandboxFactory, UnisolatedSandboxFactory

    if name is SandboxName.DOCKER:
        return DockerSandboxFactory(run)
    return LocalSandboxFactory() if name is SandboxName.LOCAL else UnisolatedSandboxFactory()


def _terms(values: list[str] | None, option: str) -> list[str]:
    terms = [term.strip() for value in values or [] for term in value.split(",")]
    if values is not None and not all(terms):
        raise SetupError(f"{option} holds an empty name; leave the option out for all")
    return terms
