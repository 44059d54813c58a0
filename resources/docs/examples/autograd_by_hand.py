# Reverse-mode differentiation of numbers, by hand, and the same expression with torch beside it.
import math

import torch
from torch import nn


class Value:
    """A number that knows which numbers it was made of, and its derivative by each of them."""

    def __init__(self, number, name, inputs=(), slopes=()):
        self.number, self.name = number, name
        self.inputs, self.slopes = inputs, slopes
        self.grad = 0.0

    def __add__(self, other):
        return Value(self.number + other.number, "add", (self, other), (1.0, 1.0))

    def __sub__(self, other):
        return Value(self.number - other.number, "sub", (self, other), (1.0, -1.0))

    def __mul__(self, other):
        return Value(self.number * other.number, "mul", (self, other), (other.number, self.number))

    def square(self):
        return Value(self.number**2, "square", (self,), (2 * self.number,))

    def tanh(self):
        result = math.tanh(self.number)
        return Value(result, "tanh", (self,), (1 - result**2,))

    def backward(self):
        order, seen = [], set()

        def visit(value):  # what a value was made of comes before it
            if id(value) not in seen:
                seen.add(id(value))
                for each in value.inputs:
                    visit(each)
                order.append(value)

        visit(self)
        self.grad = 1.0
        for value in reversed(order):  # a value's gradient is complete before it is passed on
            for each, slope in zip(value.inputs, value.slopes):
                each.grad += slope * value.grad
            if value.inputs:
                parts = zip(value.inputs, value.slopes)
                passed = ", ".join(f"{each.name} += {slope * value.grad:.6f}" for each, slope in parts)
                print(f"{value.name:7} has {value.grad:9.6f}: {passed}")


def expression(w, x, b, t, tanh, square):
    return square(tanh(w * x + b) - t) + square(w)


class Expression(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor(0.5, dtype=torch.float64))
        self.b = nn.Parameter(torch.tensor(-0.25, dtype=torch.float64))

    def forward(self, x, t):
        return expression(self.w, x, self.b, t, torch.tanh, torch.square)


def by_hand(w, b, x, t):
    w, b, x, t = Value(w, "w"), Value(b, "b"), Value(x, "x"), Value(t, "t")
    result = expression(w, x, b, t, Value.tanh, Value.square)
    result.backward()
    return result.number, w.grad, b.grad, x.grad


def by_torch(model, x, t):
    result = model(x.requires_grad_(), t)
    result.backward()
    numbers = result.item(), model.w.grad.item(), model.b.grad.item(), x.grad.item()
    model.zero_grad()
    return numbers


def show(name, numbers):
    f, w, b, x = numbers
    print(f"{name:8} f = {f:.6f}, df/dw = {w:.6f}, df/db = {b:.6f}, df/dx = {x:.6f}")


model = Expression()
example_inputs = (torch.tensor(2.0, dtype=torch.float64), torch.tensor(1.0, dtype=torch.float64))
ours = by_hand(0.5, -0.25, 2.0, 1.0)
theirs = by_torch(model, *(each.clone() for each in example_inputs))
show("by hand:", ours)
show("torch:", theirs)
print("furthest apart:", max(abs(one - other) for one, other in zip(ours, theirs)))
