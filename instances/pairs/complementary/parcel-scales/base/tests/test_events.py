import pytest

from depot.clock import Clock
from depot.events import EventBus


def test_handlers_in_order_of_subscription():
    bus, seen = EventBus(Clock()), []
    bus.subscribe("a.b", lambda event: seen.append(("first", event.data["x"])))
    bus.subscribe("*", lambda event: seen.append(("any", event.name)))
    bus.publish("a.b", x=1)
    bus.publish("a.c")
    assert seen == [("first", 1), ("any", "a.b"), ("any", "a.c")]
    assert [event.number for event in bus.history] == [1, 2]


@pytest.mark.parametrize("name", ["", "order", "Order.placed", "order.", "order placed"])
def test_bad_names(name):
    bus = EventBus(Clock())
    with pytest.raises(ValueError, match="not an event name"):
        bus.publish(name)
    with pytest.raises(ValueError, match="not an event name"):
        bus.subscribe(name, print)


def test_data_cannot_be_changed():
    event = EventBus(Clock()).publish("a.b", x=1)
    with pytest.raises(TypeError):
        event.data["x"] = 2


def test_a_raising_handler_reaches_the_publisher():
    bus = EventBus(Clock())

    def refuse(event):
        raise RuntimeError("no")

    bus.subscribe("a.b", refuse)
    with pytest.raises(RuntimeError):
        bus.publish("a.b")
