# SPDX-License-Identifier: Apache-2.0
# record_function marks a stretch of the program for a profiler of PyTorch; scripts compile it too.
from typing import Any, Optional


class record_function:
    def __init__(self, name: str, args: Optional[str] = None):
        self.name: str = name
        self.args: Optional[str] = args
        self.run_callbacks_on_exit: bool = True

    def __enter__(self):
        return self

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any):
        self.run_callbacks_on_exit = False
