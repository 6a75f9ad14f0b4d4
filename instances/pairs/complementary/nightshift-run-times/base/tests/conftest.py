from datetime import datetime, timezone

import pytest

from nightshift import ManualClock


@pytest.fixture
def clock():
    return ManualClock(datetime(2026, 3, 2, 1, 0, tzinfo=timezone.utc))
