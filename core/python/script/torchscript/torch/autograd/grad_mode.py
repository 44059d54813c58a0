# SPDX-License-Identifier: Apache-2.0
class no_grad:
    def __init__(self) -> None:
        self.prev = False

    def __enter__(self) -> None:
        self.prev = torch.is_grad_enabled()
        torch.set_grad_enabled(False)

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        torch.set_grad_enabled(self.prev)

class enable_grad:
    def __init__(self) -> None:
        self.prev = False

    def __enter__(self) -> None:
        self.prev = torch.is_grad_enabled()
        torch.set_grad_enabled(True)

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        torch.set_grad_enabled(self.prev)

class inference_mode:
    def __init__(self, mode: bool = True) -> None:
        self.mode = mode
        self.prev = False

    def __enter__(self) -> None:
        self.prev = torch.is_grad_enabled()
        if self.mode:
            torch.set_grad_enabled(False)

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        torch.set_grad_enabled(self.prev)

def unique(input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False) -> Tensor:
    return torch._unique2(input, sorted, return_inverse, return_counts)[0]

def cdist(x1: Tensor, x2: Tensor, p: float = 2., compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Tensor:
    number = 0
    if compute_mode == "use_mm_for_euclid_dist":
        number = 1
    elif compute_mode == "donot_use_mm_for_euclid_dist":
        number = 2
    return torch._cdist(x1, x2, p, number)
