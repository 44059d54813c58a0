# SPDX-License-Identifier: Apache-2.0
import torch


def _as_tuple(inp, arg_name, fn_name):
    is_tuple = isinstance(inp, tuple)
    if not is_tuple:
        inp = (inp,)
    for i, el in enumerate(inp):
        if not isinstance(el, torch.Tensor):
            if is_tuple:
                raise TypeError("The {} given to {} must be either a Tensor or a tuple of Tensors but the value at index {} has type {}."
                                .format(arg_name, fn_name, i, type(el)))
            raise TypeError("The {} given to {} must be either a Tensor or a tuple of Tensors but the given {} has type {}."
                            .format(arg_name, fn_name, arg_name, type(el)))
    return is_tuple, tuple(inp)


def _prepare(inputs, create_graph):
    return tuple(i.view_as(i) if create_graph and i.requires_grad else i.detach().requires_grad_(True) for i in inputs)


def _finish(values, create_graph):
    return tuple(v if create_graph else v.detach() for v in values)


def _zeros_for(grads, inputs):
    return tuple(torch.zeros_like(i) if g is None else g for g, i in zip(grads, inputs))


def _check_v(v, other, is_other_tuple):
    if is_other_tuple or len(v) != len(other):
        if len(v) != len(other):
            raise RuntimeError("v is a tuple of invalid length: should be {} but got {}.".format(len(other), len(v)))
    for idx, (el_v, el_other) in enumerate(zip(v, other)):
        if el_v.size() != el_other.size():
            prepend = "Entry {} in ".format(idx) if is_other_tuple else ""
            raise RuntimeError("{}v has invalid size: should be {} but got {}.".format(prepend, el_other.size(), el_v.size()))


def _grad(outputs, inputs, v=None, create_graph=False, retain_graph=None):
    kept = [(o, w) for o, w in zip(outputs, v or [None] * len(outputs)) if o.requires_grad]
    if not kept:
        return (None,) * len(inputs)
    return torch.autograd.grad([o for o, w in kept], inputs, [w for o, w in kept], allow_unused=True, create_graph=create_graph,
                               retain_graph=retain_graph)


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    with torch.enable_grad():
        is_inputs_tuple, inputs = _as_tuple(inputs, "inputs", "vjp")
        inputs = _prepare(inputs, create_graph)
        is_outputs_tuple, outputs = _as_tuple(func(*inputs), "outputs of the user-provided function", "vjp")
        if v is not None:
            _, v = _as_tuple(v, "v", "vjp")
            _check_v(v, outputs, is_outputs_tuple)
        elif len(outputs) != 1 or outputs[0].nelement() != 1:
            raise RuntimeError("The vector v can only be None if the user-provided function returns a single Tensor with a single element.")
        grads = _zeros_for(_grad(outputs, inputs, v, create_graph), inputs)
    outputs = _finish(outputs, create_graph)
    grads = _finish(grads, create_graph)
    return outputs if is_outputs_tuple else outputs[0], grads if is_inputs_tuple else grads[0]


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    with torch.enable_grad():
        is_inputs_tuple, inputs = _as_tuple(inputs, "inputs", "jvp")
        inputs = _prepare(inputs, create_graph)
        if v is not None:
            _, v = _as_tuple(v, "v", "jvp")
            _check_v(v, inputs, is_inputs_tuple)
        elif len(inputs) != 1 or inputs[0].nelement() != 1:
            raise RuntimeError("The vector v can only be None if the input to the user-provided function is a single Tensor with a single element.")
        else:
            v = (torch.ones_like(inputs[0]),)
        is_outputs_tuple, outputs = _as_tuple(func(*inputs), "outputs of the user-provided function", "jvp")
        # The derivative of the vector-Jacobian product by its vector.
        dummies = tuple(torch.zeros_like(o, requires_grad=True) for o in outputs)
        grads = _zeros_for(_grad(outputs, inputs, dummies, create_graph=True), inputs)
        products = _zeros_for(_grad(grads, dummies, v, create_graph=create_graph), outputs)
    outputs = _finish(outputs, create_graph)
    products = _finish(products, create_graph)
    return outputs if is_outputs_tuple else outputs[0], products if is_outputs_tuple else products[0]


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    with torch.enable_grad():
        is_inputs_tuple, inputs = _as_tuple(inputs, "inputs", "jacobian")
        inputs = _prepare(inputs, create_graph)
        is_outputs_tuple, outputs = _as_tuple(func(*inputs), "outputs of the user-provided function", "jacobian")
        result = []
        for out in outputs:
            rows = [[] for _ in inputs]
            for j in range(out.nelement()):
                grads = _grad((out.reshape(-1)[j],), inputs, None, create_graph, True)
                for row, grad, inp in zip(rows, grads, inputs):
                    row.append(torch.zeros_like(inp) if grad is None else grad)
            result.append(tuple(torch.stack(row, dim=0).view(out.size() + inp.size()) for row, inp in zip(rows, inputs)))
    result = [_finish(each, create_graph) for each in result]
    result = tuple(each if is_inputs_tuple else each[0] for each in result)
    return result if is_outputs_tuple else result[0]


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    is_inputs_tuple, inputs = _as_tuple(inputs, "inputs", "hessian")

    def ensure_single_output_function(*inp):
        out = func(*inp)
        is_out_tuple, t_out = _as_tuple(out, "outputs of the user-provided function", "hessian")
        if is_out_tuple or not isinstance(out, torch.Tensor):
            raise RuntimeError("The function given to hessian should return a single Tensor")
        if out.nelement() != 1:
            raise RuntimeError("The Tensor returned by the function given to hessian should contain a single element")
        return out.squeeze()

    def jac_func(*inp):
        return jacobian(ensure_single_output_function, inp, create_graph=True)

    res = jacobian(jac_func, inputs, create_graph=create_graph, strict=strict)
    return res if is_inputs_tuple else res[0][0]


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    with torch.enable_grad():
        is_inputs_tuple, inputs = _as_tuple(inputs, "inputs", "vhp")
        inputs = _prepare(inputs, create_graph)
        is_outputs_tuple, outputs = _as_tuple(func(*inputs), "outputs of the user-provided function", "vhp")
        if is_outputs_tuple:
            raise RuntimeError("The function given to vhp should return a single Tensor")
        if outputs[0].nelement() != 1:
            raise RuntimeError("The Tensor returned by the function given to vhp should contain a single element")
        if v is None:
            v = tuple(torch.ones_like(i) for i in inputs)
        else:
            _, v = _as_tuple(v, "v", "vhp")
            _check_v(v, inputs, is_inputs_tuple)
        jac = _zeros_for(_grad(outputs, inputs, None, create_graph=True), inputs)
        products = _zeros_for(_grad(jac, inputs, v, create_graph=create_graph), inputs)
    outputs = _finish(outputs, create_graph)
    products = _finish(products, create_graph)
    return outputs[0], products if is_inputs_tuple else products[0]


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    return vhp(func, inputs, v, create_graph, strict)
