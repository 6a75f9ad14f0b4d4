from nightshift import ActionFailed, History, Job, JobBook, Runner, Status
from nightshift.actions import Actions
from nightshift.schedule import due


def test_run_due(clock):
    book = JobBook([Job("a", "wait", 60, {"seconds": 5}), Job("b", "wait", 600, {"seconds": 0})])
    runner = Runner(book, History(), clock=clock)
    assert [record.job for record in runner.run_due()] == ["a", "b"]
    assert runner.run_due() == []
    clock.sleep(60)
    assert [record.job for record in runner.run_due()] == ["a"]


def test_retries(clock):
    job = Job("a", "flaky", 60, {"succeeds": 3}, retries=3, retry_wait=30)
    history = History()
    start = clock.now()
    record = Runner(JobBook([job]), history, clock=clock).run(job)
    assert (record.status, record.attempts, record.started) == (Status.OK, 3, start)
    assert (clock.now() - start).total_seconds() == 60
    assert list(history) == [record]


def test_retries_run_out(clock):
    job = Job("a", "flaky", 60, {"succeeds": 9}, retries=1)
    record = Runner(JobBook([job]), History(), clock=clock).run(job)
    assert (record.status, record.attempts, record.message) == (Status.FAILED, 2, "attempt 2 failed")


def test_any_error_is_a_failure(clock):
    actions = Actions()
    actions.add("odd", lambda context: 1 / 0)
    job = Job("a", "odd", 60)
    record = Runner(JobBook([job]), History(), actions, clock).run(job)
    assert (record.status, record.message) == (Status.FAILED, "division by zero")


def test_own_action_and_message(clock):
    actions = Actions()
    actions.add("greet", lambda context: f"hello from {context.job}")
    job = Job("a", "greet", 60)
    assert Runner(JobBook([job]), History(), actions, clock).run(job).message == "hello from a"


def test_jobs_after_a_failed_one_are_skipped(clock):
    actions = Actions()

    def broken(context):
        raise ActionFailed("no")

    actions.add("broken", broken)
    book = JobBook([Job("a", "broken", 60), Job("b", "wait", 60, {"seconds": 1}, after=("a",))])
    records = Runner(book, History(), actions, clock).run_due()
    assert [(record.status, record.attempts) for record in records] == [(Status.FAILED, 1), (Status.SKIPPED, 0)]


def test_off_and_window(clock):
    from nightshift.windows import Window

    book = JobBook(
        [
            Job("off", "wait", 60, enabled=False),
            Job("night", "wait", 60, window=Window.parse("22:00-06:00")),
            Job("day", "wait", 60, window=Window.parse("06:00-22:00")),
        ]
    )
    assert [job.name for job in due(book, History(), clock.now())] == ["night"]


def test_files(tmp_path, clock):
    path = tmp_path / "out.txt"
    book = JobBook(
        [
            Job("write", "write", 60, {"file": path, "text": "hi"}),
            Job("require", "require", 60, {"file": path}),
            Job("remove", "remove", 60, {"file": path}),
        ]
    )
    records = Runner(book, History(), clock=clock).run_due()
    assert [record.message for record in records] == ["wrote out.txt", "", "removed out.txt"]
    assert not path.exists()
