# SPDX-License-Identifier: Apache-2.0
# torch.onnx: models as ONNX files, written by the engine's own writer.
import inspect
import os
from enum import Enum

import _onnx_writer
import torch


class TrainingMode(Enum):
    EVAL = 0
    PRESERVE = 1
    TRAINING = 2


class OperatorExportTypes(Enum):
    ONNX = 0
    ONNX_ATEN = 1
    ONNX_ATEN_FALLBACK = 2


class OnnxExporterError(RuntimeError):
    pass


def _name_of(dim):
    """The name of a size that differs between runs; None for one that does not; "" for one without a name."""
    if dim is None or isinstance(dim, int):
        return None
    if isinstance(dim, str):
        return dim
    name = getattr(dim, "__name__", None) or getattr(dim, "name", "")
    return None if name == "STATIC" else "" if name in ("AUTO", "DYNAMIC") else name


def _dynamic(places, argument):
    """Texts of the writer: "arg0:0=batch"."""
    if places is None:
        return []
    if isinstance(places, (list, tuple)):
        if all(isinstance(each, int) for each in places):  # dynamic_axes: {"x": [0, 2]}
            return ["%s:%d" % (argument, dim) for dim in places]
        if any(isinstance(each, (dict, list, tuple)) for each in places):  # one an element of a list
            return [text for i, each in enumerate(places) for text in _dynamic(each, "%s.%d" % (argument, i))]
        places = dict(enumerate(places))
    texts = []
    for dim, size in places.items():
        name = _name_of(size)
        if name is not None:
            texts.append("%s:%d=%s" % (argument, dim, name) if name else "%s:%d" % (argument, dim))
    return texts


def _positional(model, args, kwargs):
    """The arguments in the order of forward's parameters, and the parameters' names."""
    if isinstance(args, torch.Tensor) or not isinstance(args, (tuple, list)):
        args = (args,)
    args = list(args)
    if args and isinstance(args[-1], dict) and not kwargs:  # the older way to name arguments
        kwargs = args.pop()
    forward = model.forward if isinstance(model, torch.nn.Module) else model
    if isinstance(model, torch.jit.RecursiveScriptModule):
        return args + list((kwargs or {}).values()), []
    try:
        parameters = list(inspect.signature(forward).parameters.values())
    except ValueError:  # a module of torch.nn
        return args + list((kwargs or {}).values()), []
    names = [each.name for each in parameters]
    kwargs = dict(kwargs or {})
    for parameter in parameters[len(args):]:
        if not kwargs:
            break
        args.append(kwargs.pop(parameter.name, parameter.default))
    if kwargs:
        raise TypeError("forward() got an unexpected keyword argument '%s'" % next(iter(kwargs)))
    return args, names


class ONNXProgram:
    """What torch.onnx.export returns: the model and its arguments, to be saved."""

    def __init__(self, model, args, options):
        self._model = model
        self._args = args
        self._options = options

    def save(self, destination, *, include_initializers=True, keep_initializers_as_inputs=False, external_data=None):
        options = list(self._options)
        options.append(("export_params", str(bool(include_initializers))))
        options.append(("keep_initializers_as_inputs", str(bool(keep_initializers_as_inputs))))
        options.append(("external_data", str(bool(external_data))))
        _write(self._model, self._args, destination, options)


def _write(model, args, destination, options):
    if isinstance(destination, os.PathLike):
        destination = os.fspath(destination)
    _onnx_writer.write(model, tuple(args), destination, options)


def export(model, args=(), f=None, *, kwargs=None, verbose=None, input_names=None, output_names=None,
           opset_version=None, dynamo=True, external_data=True, dynamic_shapes=None, custom_translation_table=None,
           report=False, optimize=True, verify=False, profile=False, dump_exported_program=False, artifacts_dir=".",
           fallback=False, export_params=True, keep_initializers_as_inputs=False, dynamic_axes=None,
           training=TrainingMode.EVAL, operator_export_type=OperatorExportTypes.ONNX, do_constant_folding=True,
           custom_opsets=None, export_modules_as_functions=False, autograd_inlining=True):
    if custom_translation_table or custom_opsets:
        raise OnnxExporterError("operators of custom domains are not written")
    args, names = _positional(model, args, kwargs)
    options = []
    if opset_version is not None:
        options.append(("opset", str(opset_version)))
    if input_names:
        options.append(("input_names", ",".join(input_names)))
    if output_names:
        options.append(("output_names", ",".join(output_names)))
    options.append(("do_constant_folding", str(bool(do_constant_folding))))
    for name, places in (dynamic_axes or {}).items():
        # Names are the file's, or forward's; those of outputs follow from the inputs.
        if input_names and name in input_names:
            options += [("dynamic", text) for text in _dynamic(places, "arg%d" % input_names.index(name))]
        elif name in names:
            options += [("dynamic", text) for text in _dynamic(places, "arg%d" % names.index(name))]
    if dynamic_shapes is not None:
        shapes = dynamic_shapes.items() if isinstance(dynamic_shapes, dict) else enumerate(dynamic_shapes)
        for argument, places in shapes:
            place = argument if isinstance(argument, int) else names.index(argument)
            options += [("dynamic", text) for text in _dynamic(places, "arg%d" % place)]
    was_training = getattr(model, "training", False)
    if isinstance(model, torch.nn.Module) and training != TrainingMode.PRESERVE:
        model.train(training == TrainingMode.TRAINING)
    try:
        if f is not None:
            written = options + [("export_params", str(bool(export_params))),
                                 ("keep_initializers_as_inputs", str(bool(keep_initializers_as_inputs))),
                                 ("external_data", str(bool(dynamo and external_data)))]
            _write(model, args, f, written)
    finally:
        if isinstance(model, torch.nn.Module):
            model.train(was_training)
    return ONNXProgram(model, args, options) if dynamo else None


def is_in_onnx_export():
    return False
