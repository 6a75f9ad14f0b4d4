"""The radio's rules, with neither sockets nor time of their own: a command checks, and then records events.

Nothing here is safe for threads: the hub is one thread.
"""

from collections.abc import Callable, Sequence

from radio import framing
from radio.bench_commands import BenchCommands
from radio.clock import Clock
from radio.errors import Reason, Refused
from radio.events import EventType
from radio.expiry import last_steps
from radio.fields import Fields, envelope_from
from radio.lane import Lane
from radio.message import HUB, Envelope, Message, Thread, Verdict, check_thread_name, envelope_of
from radio.policy import EnvelopeRule, Limits, Policy
from radio.store import Record

_LONGEST_NAME = 2000
_LONGEST_PATHS = 4000


class Switchboard(BenchCommands):
    """Who may say what where.

    Attributes:
        counted_step: how many steps a lane has ended by its own file of steps; 0 where nobody counts.
    """

    def __init__(self, limits: Limits, policy: Policy, clock: Clock, read: Callable[[int], Record | None]) -> None:
        super().__init__(clock, read)
        self.limits = limits
        self.policy = policy
        self.counted_step: Callable[[str], int] = lambda _: 0

    def create_thread(self, owner: str, fields: Fields) -> Thread:
        """Open a thread; the caller is always one of its participants.

        Raises:
            Refused: with the reason.
        """
        self._refuse_finished_sender(owner)
        key = fields.text("key", "", limit=80)
        made = self.lanes[owner].known(key, EventType.THREAD_CREATED) if owner in self.lanes else None
        if made is not None:
            return self.threads[f"t{made}"]
        name = framing.thread_name(fields.text("name", limit=_LONGEST_NAME))
        if owner != HUB:
            check_thread_name(name)
        participants = [*fields.names("participants")]
        if participants in (["all"], ["*"], []):
            participants = sorted(self.lanes)
        for participant in participants:
            self.lane(participant)
        if owner in self.lanes and owner not in participants:
            participants.insert(0, owner)
        opened = sum(thread.owner == owner for thread in self.threads.values())
        if owner != HUB and opened >= self.limits.threads:
            raise Refused(Reason.THREADS, f"you have opened {opened} threads already, which is the most allowed")
        identifier = f"t{self.seq + 1}"
        self.record(
            EventType.THREAD_CREATED,
            thread=identifier,
            id=identifier,
            name=name,
            owner=owner,
            participants=participants,
            key=key,
        )
        return self.threads[identifier]

    def send(self, sender: str, fields: Fields, step: int | None = None) -> Message:
        """Take a message, whether or not anyone listens.

        Args:
            step: the sender's step, where it is known.

        Raises:
            Refused: with the reason.
        """
        self._refuse_finished_sender(sender)
        key = fields.text("key", "", limit=80)
        sent = self.lanes[sender].known(key, EventType.MESSAGE_SENT) if key and sender in self.lanes else None
        if sent is not None:
            return self.message(sent)
        thread = self._thread_for(sender, fields.text("thread", limit=_LONGEST_NAME))
        content = self._bounded(sender, fields.text("content"))
        mentions = self._mentions(sender, thread, fields)
        cover = self._envelope(sender, fields, step)
        message = Message("m0", 0, thread.id, sender, content, mentions, "2000-01-01T00:00:00.000Z", cover)
        size = len(framing.frame(message, thread).encode()) + 40
        self._within_limits(sender, content, size, mentions)
        origin = "hub" if sender == HUB else "peer"
        identifier = f"m{self.seq + 1}"
        envelope = {**cover.to_json(), "id": identifier} if cover else None
        if envelope and envelope["trace_id"] == "":
            envelope["trace_id"] = identifier
        event = self.record(
            EventType.MESSAGE_SENT,
            thread=thread.id,
            id=identifier,
            sender=sender,
            content=content,
            mentions=list(mentions),
            envelope=envelope,
            origin=origin,
            size=size,
            key=key,
            **last_steps(
                {name: self._step_now(name) for name in mentions},
                cover.expires_after_step if cover else None,
                self.limits.lifetime_steps,
            ),
        )
        return self.message(event.seq)

    def _bounded(self, sender: str, content: str) -> str:
        """A text of a size that may be looked at more closely: to frame a megabyte would keep the others waiting."""
        # The radio's own words are bounded by those who write them; a lane's limits are not theirs.
        most = self.policy.delivery_bytes if sender == HUB else min(self.limits.body_bytes, self.policy.delivery_bytes)
        if len(content) > most or len(content.encode()) > most:
            raise Refused(Reason.BYTES, f"{len(content.encode())} bytes; {most} are allowed in one message")
        return content

    def _step_now(self, name: str) -> int:
        counted = self.counted_step(name) if self.limits.lifetime_steps is not None else 0
        return max(counted, self.lanes[name].step) if counted else 0

    def _refuse_finished_sender(self, sender: str) -> None:
        if sender in self.lanes and self.lanes[sender].finished is not None:
            raise Refused(Reason.SENDER_FINISHED, f"lane {sender} has finished; nothing more is taken from it")

    def _thread_for(self, caller: str, identifier: str) -> Thread:
        """A thread by its id, or by its name where only one of the caller's has it."""
        thread = self.threads.get(identifier)
        if thread is None:
            shown = framing.thread_name(identifier)
            named = [entry for entry in self.threads_of(caller) if entry.name == shown]
            if len(named) > 1:
                which = ", ".join(entry.id for entry in named)
                raise Refused(
                    Reason.UNKNOWN_THREAD, f"{len(named)} threads of yours are named {shown!r}: give one's id, of {which}"
                )
            if not named:
                raise Refused(Reason.UNKNOWN_THREAD, f"there is no thread {shown!r} of yours")
            return named[0]
        if caller != HUB and caller not in thread.participants:
            raise Refused(Reason.NOT_A_PARTICIPANT, f"you are not in thread {thread.id}")
        return thread

    def _mentions(self, sender: str, thread: Thread, fields: Fields) -> tuple[str, ...]:
        # Once each, by whatever spelling: who is mentioned twice would be shown it twice.
        asked = tuple(dict.fromkeys(name.removeprefix("@") for name in fields.names("mentions")))
        if asked in (("all",), ("*",)):
            asked = tuple(name for name in thread.participants if name != sender)
        for name in asked:
            self.lane(name)
            if name not in thread.participants:
                raise Refused(Reason.NOT_A_PARTICIPANT, f"lane {name} is not in thread {thread.id}")
            if name == sender:
                raise Refused(Reason.MALFORMED, "a message cannot mention its own sender")
        if len(asked) > self.limits.mentions_per_message:
            most = self.limits.mentions_per_message
            raise Refused(Reason.FAN_OUT, f"{len(asked)} mentions, of which one message may have {most}")
        living = tuple(name for name in asked if self.lanes[name].finished is None)
        if asked and not living:
            raise Refused(Reason.RECIPIENT_FINISHED, f"{', '.join(asked)} finished before this; nobody would see the message")
        return living

    def _envelope(self, sender: str, fields: Fields, step: int | None) -> Envelope | None:
        reply_to = fields.optional_text("reply_to", limit=20)
        given = envelope_from(fields, always=reply_to is not None)
        rule = self.policy.envelope
        if sender != HUB:
            if rule is EnvelopeRule.OFF and given is not None:
                raise Refused(
                    Reason.OFF, "this radio takes plain messages only: no kind, claim, reply-to or other envelope field"
                )
            if rule is EnvelopeRule.REQUIRED and (given is None or "kind" not in fields.values or not given["claim"]):
                raise Refused(Reason.ENVELOPE_MISSING, "this radio asks for an envelope: give at least kind and claim")
        if given is None:
            return None
        for name in given["affected"]:
            self.lane(name)
        trace = self._trace_of(reply_to, sender) if reply_to else ""
        return envelope_of({**given, "id": "", "trace_id": trace, "sender": sender, "created_step": step})

    def _trace_of(self, reply_to: str, caller: str) -> str:
        earlier = self.message_for(caller, reply_to)
        return earlier.envelope.trace_id if earlier.envelope else earlier.id

    def _within_limits(self, sender: str, content: str, size: int, mentions: Sequence[str]) -> None:
        if size > self.policy.delivery_bytes:
            raw, most = len(content.encode()), self.policy.delivery_bytes
            raise Refused(Reason.BYTES, f"{raw} bytes ({size} as it would be shown); {most} are allowed in one message")
        lane = self.lanes.get(sender)
        if lane is None:
            return
        if lane.counters.sent >= self.limits.total_messages:
            raise Refused(Reason.TOTAL, f"you have sent {lane.counters.sent} messages, which is the most allowed")
        if lane.rate.count(self.clock.now()[1]) >= self.limits.messages_per_minute:
            most = self.limits.messages_per_minute
            raise Refused(Reason.RATE, f"{most} messages in a minute is the most allowed; wait and say more in one")

    def refuse_hasty(self, lane: Lane) -> None:
        """Raises Refused where a lane has asked for so much within a minute that it would fill the log."""
        asked = lane.asked.count(self.clock.steady())
        if asked >= self.limits.requests_per_minute:
            raise Refused(Reason.RATE, f"you have asked {asked} times in a minute, which is the most allowed")

    def respond(self, name: str, fields: Fields) -> None:
        """Note what a lane did with a message.

        Raises:
            Refused: with the reason.
        """
        if not self.policy.dispositions:
            raise Refused(Reason.OFF, "this radio takes no dispositions")
        key = fields.text("key", "", limit=80)
        if self.lane(name).known(key, EventType.RESPONDED) is not None:
            return
        self.refuse_hasty(self.lane(name))
        message = self.message_for(name, fields.text("message", limit=20))
        given, most = self.lane(name).counters.responded.total(), self.limits.responses_per_message * self.messages
        if given >= most:
            raise Refused(
                Reason.TOTAL, f"you have responded {given} times to {self.messages} messages, which is the most allowed"
            )
        verdict = fields.choice("verdict", Verdict, None)
        if verdict is None:
            raise Refused(Reason.MALFORMED, "field 'verdict' must be one of " + ", ".join(Verdict))
        if message.sender == name:
            raise Refused(Reason.MALFORMED, f"message {message.id} is your own")
        paths = fields.names("paths", limit=100)
        if sum(map(len, paths)) > _LONGEST_PATHS:
            raise Refused(Reason.BYTES, f"field 'paths' is longer than {_LONGEST_PATHS} characters; name folders")
        if verdict is Verdict.ACCEPTED and not paths:
            raise Refused(Reason.MALFORMED, "an accepted message names the paths that you changed for it: --paths")
        self.record(
            EventType.RESPONDED,
            lane=name,
            message=message.id,
            verdict=verdict.value,
            reason=fields.text("reason", "", limit=2000),
            paths=list(paths),
            key=key,
        )

    def post_sync(self, name: str, point: str, content: str) -> None:
        """A lane has come to a named point. To come again with the same words is to go on waiting there.

        Raises:
            Refused: with the reason.
        """
        self._refuse_finished_sender(name)
        if not point.strip():
            raise Refused(Reason.MALFORMED, "a point must have a name")
        posted = self.syncs.get(point, {}).get(name)
        if posted is not None:
            if posted.content != content:
                raise Refused(Reason.MALFORMED, f"you have posted at {framing.label(point, 40)!r} already")
            return
        points = sum(name in posts for posts in self.syncs.values())
        if points >= self.limits.threads:
            raise Refused(Reason.THREADS, f"you have posted at {points} named points, which is the most allowed")
        self._bounded(name, content)
        self._within_limits(name, content, len(framing.body(content).encode()) + 200, ())
        others = [lane.name for lane in self.lanes.values() if lane.finished is None and lane.name != name]
        self.record(EventType.SYNC_POSTED, lane=name, id=f"m{self.seq + 1}", point=point, content=content, mentions=others)

    def met(self, lane: Lane, point: str, posts: Sequence[str], size: int, step: int | None) -> None:
        """A lane is shown what the others posted at a named point. A post that is shown once more is not counted again."""
        now = self.clock.steady()
        fresh = [post for post in posts if post in lane.posts]
        self.record(
            EventType.SYNCED,
            lane=lane.name,
            point=point,
            messages=fresh,
            seconds=[round(now - lane.posts[post], 6) for post in fresh],
            via="sync",
            step=step,
            bytes=size if posts else 0,
        )

    def absent_from(self, point: str) -> list[str]:
        """The lanes that a named point still waits for."""
        posted = self.syncs.get(point, {})
        return [lane.name for lane in self.lanes.values() if lane.finished is None and lane.name not in posted]
