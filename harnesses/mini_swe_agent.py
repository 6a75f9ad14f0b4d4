"""mini-swe-agent, the built-in agent for any model that LiteLLM knows. Tried on version 2.4.6 (PyPI `mini-swe-agent`).

Its loop runs here and only its commands run in the lane's sandbox: so the lane needs no network, and no key is ever in it. The
package's own prompts, tool and answers are used as they are. A lane's turns run freely beside the other lane's, as those of a
program of its own do: a model's answer takes long, and a command that waits for a message must not hold the other lane up.
"""

import json
import os
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

from harnesses.base import Demands, Ended, Fitting, Lane, Limits, Turn
from harnesses.endpoint import EndpointSource, addressed, masked
from harnesses.follower import Patience
from harnesses.mini_swe_agent_lane import LaneEnvironment, seconds_from_now
from harnesses.mini_swe_agent_model import Asking, LaneModel, TurnOver
from harnesses.mini_swe_agent_parts import PACKAGE, Parts, load_parts, need_version
from harnesses.preflight import litellms_address, why_litellm_cannot_reach
from harnesses.script import silent_lanes
from harnesses.streams.base import Verdict
from sandboxes.errors import SetupError

# Where the address of a lane's endpoint is given, it speaks OpenAI's chat completions.
_SPOKEN = "openai"
_RETRIES = 6
_MOST_DRAINS = 3
_SECRET = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$")


class MiniSweAgent:
    """See `Harness`."""

    name = PACKAGE
    stepwise = False

    def __init__(
        self,
        model: str | None = None,
        *,
        endpoint: EndpointSource | None = None,
        patience: Patience | None = None,
        retries: int = _RETRIES,
        scripted: bool = False,
    ) -> None:
        """A configuration of the agent.

        Args:
            model: as LiteLLM names it, such as `deepseek/deepseek-chat`; its key, and the address of an endpoint of one's
                own, are in the variables in which LiteLLM looks for them.
            endpoint: gives each lane's credential and address instead.
            patience: how long the model may keep silent.
            retries: how often a request that failed is repeated.
            scripted: the endpoint plays scripts, and no model is called.

        Raises:
            SetupError: no model is named.
        """
        if model is None:
            raise SetupError(f"{PACKAGE} has no model of its own: name one with --model, as LiteLLM does, or --model scripted")
        self.scripted = scripted
        self.model = model
        self._endpoint = endpoint
        self._patience = patience or Patience()
        self._retries = retries

    def refuses(self, scenario: Demands) -> str | None:
        """See `Harness.refuses`."""
        if scenario.delegate:
            return f"{PACKAGE} has no subagents"
        if scenario.listening == "watcher":
            return f"{PACKAGE} has no background commands: what a command leaves behind ends with it"
        return None

    def lacks(self, scenario: Demands, replay: Path) -> str | None:
        """See `Harness.lacks`."""
        return silent_lanes(scenario, replay) if self.scripted else None

    def versions(self) -> dict[str, str]:
        """The package's, LiteLLM's, which decides what reaches the model, and where that is.

        Raises:
            SetupError: the package is missing, or LiteLLM cannot reach the model: told before anything runs.
        """
        found = {self.name: need_version(), "litellm": version("litellm")}
        if self._endpoint is None:
            provider = self._require_model(load_parts()).upper()
            found |= addressed(f"{provider}_API_BASE", f"{provider}_BASE_URL")
        return found

    def unreachable(self) -> str:
        """See `AsksAProvider`."""
        if self._endpoint is not None:
            return ""
        return why_litellm_cannot_reach(litellms_address(load_parts().litellm, self.model))

    def fitting(self, private: Path) -> Fitting:
        """Nothing: the loop is outside, and reaches the model from there.

        Raises:
            SetupError: the package is missing.
        """
        need_version()
        return Fitting()

    def run(self, lane: Lane, prompt: str, limits: Limits, session: str | None) -> Turn:
        """See `Harness.run`. A session is the conversation itself."""
        parts = load_parts()
        name, arguments, secrets = self._way_to_the_model(parts, lane)
        deadline = seconds_from_now(limits.max_minutes)
        # A turn that was no more than a wait for the model in its whole latter half says nothing about the agent.
        silence = min(self._patience.model, limits.max_minutes * 60 / 2)
        asking = Asking(name, silence, self._retries, deadline, limits, secrets)
        settings = parts.settings["model"]
        inner = parts.model(name, {**settings, "model_kwargs": {**settings.get("model_kwargs", {}), **arguments}})
        model = LaneModel(parts, inner, asking)
        environment = LaneEnvironment(lane, asking, parts.settings["environment"]["env"])
        play = _Play(parts, model, environment, prompt, session)
        verdict = play.to_the_end()
        transcript = json.loads(masked(json.dumps(play.transcript).encode(), secrets))
        return Turn(
            verdict.ended,
            verdict.reason,
            model.usage,
            environment.steps,
            json.dumps(play.conversation()),
            tuple(transcript),
            verdict.failure,
            model.metering(),
            tuple(play.labels),
            summary=next((said for line in reversed(transcript) if (said := _words(line))), ""),
        )

    def _way_to_the_model(self, parts: Parts, lane: Lane) -> tuple[str, dict[str, Any], tuple[str, ...]]:
        """The model's name for LiteLLM, the arguments of its requests, and the secrets among all that."""
        if self._endpoint is not None:
            endpoint = self._endpoint(lane)
            arguments = {"api_key": endpoint.key}
            if endpoint.base_url is None:
                return self.model, arguments, (endpoint.key,)
            return f"{_SPOKEN}/{self.model}", {**arguments, "api_base": endpoint.base_url}, (endpoint.key,)
        self._require_model(parts)
        return self.model, {}, tuple(value for name, value in os.environ.items() if _SECRET.search(name) and value)

    def _require_model(self, parts: Parts) -> str:
        """The model's provider. Raises SetupError where LiteLLM knows no such provider, or its key is missing."""
        try:
            _, provider, _, _ = parts.litellm.get_llm_provider(self.model)
        except parts.litellm.exceptions.BadRequestError as error:
            raise SetupError(
                f"LiteLLM knows no provider of {self.model!r}; put one in front, such as openai/{self.model}"
            ) from error
        missing = parts.litellm.validate_environment(self.model)["missing_keys"]
        if missing:
            raise SetupError(f"mini-swe-agent has no key for the model {self.model}: set {', '.join(missing)}")
        return str(provider)


def _words(line: dict[str, Any]) -> str:
    """What the model says in a line of the transcript; empty where the line is another's, or has no text."""
    content = line.get("content") if line.get("role") == "assistant" else None
    return content if isinstance(content, str) else ""


class _Play:
    """One turn of `DefaultAgent`: its own steps, one after another, and between two of them what has surfaced.

    Attributes:
        transcript: what was said, as the model was given it, and its answers.
        labels: what a reader of the record is to know.
    """

    def __init__(self, parts: Parts, model: LaneModel, environment: LaneEnvironment, prompt: str, session: str | None) -> None:
        templates = {name: parts.settings["agent"][name] for name in ("system_template", "instance_template")}
        self.agent = parts.agent(model, environment, step_limit=0, cost_limit=0.0, **templates)
        self.transcript: list[dict[str, Any]] = []
        self.labels: list[str] = []
        self._parts, self._model, self._environment = parts, model, environment
        self._drains = self._noted = 0
        if session is None:
            self.agent.extra_template_vars["task"] = prompt
            self._say("system", self.agent._render_template(templates["system_template"]))
            self._say("user", self.agent._render_template(templates["instance_template"]))
        else:
            self.agent.add_messages(*json.loads(session))
            self._noted = len(self.agent.messages)
            self._say("user", prompt)

    def to_the_end(self) -> Verdict:
        """Play until the work is handed in or nothing goes on."""
        unusable = 0
        while True:
            try:
                self._step()
            except TurnOver as over:
                return over.verdict
            except self._parts.format_error as error:
                unusable += 1
                self.transcript.append({"role": "assistant", "unusable": True, **_plain(self._model.newest)})
                self.agent.add_messages(*getattr(error, "messages", ()))
                if unusable >= self.agent.config.max_consecutive_format_errors:
                    self.labels.append(f"ended by {unusable} answers in a row without a usable command")
                    return Verdict(Ended.COMPLETED)
                continue
            finally:
                self._note()
            unusable = 0
            if self._environment.submitted and not self._goes_on():
                return Verdict(Ended.COMPLETED)

    def _step(self) -> None:
        """A step of the agent's, and then the place between its commands and the next question to its model."""
        environment = self._environment
        environment.outputs.clear()
        environment.surfaced.clear()
        asked = self.agent.n_calls
        try:
            self.agent.step()
        except TurnOver:
            self._answer_all(asked)
            raise
        for words in environment.surfaced:
            self._say("user", words)

    def _answer_all(self, asked: int) -> None:
        """Every command of an answer gets its output, so that a later turn can go on from here."""
        newest = self.agent.messages[-1]
        if self.agent.n_calls > asked and newest.get("role") == "assistant":
            told = self._model.format_observation_messages(newest, self._environment.outputs, self.agent.get_template_vars())
            self.agent.add_messages(*told)

    def _goes_on(self) -> bool:
        """Whether something has come that the agent is to see before its work counts as handed in."""
        environment = self._environment
        came = bool(environment.surfaced)
        if not came and self._drains < _MOST_DRAINS and (words := environment.hook("Stop")):
            self._drains += 1
            self._say("user", words)
            came = True
        environment.submitted = False
        return came

    def _say(self, role: str, content: str) -> None:
        self.agent.add_messages(self._model.format_message(role=role, content=content))

    def _note(self) -> None:
        self.transcript += [{**_plain(message), **_usage(message)} for message in self.agent.messages[self._noted :]]
        self._noted = len(self.agent.messages)

    def conversation(self) -> list[dict[str, Any]]:
        """What a later turn goes on from."""
        return [_plain(message) for message in self.agent.messages]


def _plain(message: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in message.items() if name != "extra"}


def _usage(message: dict[str, Any]) -> dict[str, Any]:
    usage = message.get("extra", {}).get("usage")
    return {"usage": usage} if usage else {}
