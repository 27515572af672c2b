"""Work beside the scan: jobs that run one after the other in a thread of their own once an input is large.

Room: `sources`. Hashing and counting leave little of the interpreter to wait for, and the scan none.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

Result = TypeVar("Result")


class Lane(Generic[Result]):
    """Jobs in order. At first they run at once; after `start`, beside the caller, who is at most one job ahead."""

    def __init__(self, result: Result) -> None:
        self._pool: Executor | None = None
        self._job: Future[Result] | None = None
        self._result = result

    def start(self, threads: ExitStack) -> None:
        """From here on jobs run in a thread that ends with `threads`."""
        from concurrent.futures import ThreadPoolExecutor

        self._pool = threads.enter_context(ThreadPoolExecutor(1))

    def put(self, job: Callable[[], Result]) -> Result:
        """Run a job, after the one before has ended. Returns the result of the last job that has ended."""
        result = self.finish()
        if self._pool is None:
            self._result = job()
            return self._result
        self._job = self._pool.submit(job)
        return result

    def finish(self) -> Result:
        """The result of the last job, which has ended now; errors in it are raised."""
        if self._job is not None:
            job, self._job = self._job, None
            self._result = job.result()
        return self._result
