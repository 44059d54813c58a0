# SPDX-License-Identifier: Apache-2.0
# torch/export/graph_signature.py: what goes into a program's graph and comes out of it.
from enum import Enum, auto


class InputKind(Enum):
    USER_INPUT = auto()
    PARAMETER = auto()
    BUFFER = auto()
    CONSTANT_TENSOR = auto()
    CUSTOM_OBJ = auto()
    TOKEN = auto()


class OutputKind(Enum):
    USER_OUTPUT = auto()
    LOSS_OUTPUT = auto()
    BUFFER_MUTATION = auto()
    PARAMETER_MUTATION = auto()
    GRADIENT_TO_PARAMETER = auto()
    GRADIENT_TO_USER_INPUT = auto()
    USER_INPUT_MUTATION = auto()
    TOKEN = auto()


class TensorArgument:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"TensorArgument(name='{self.name}')"


class SymIntArgument(TensorArgument):
    def __repr__(self):
        return f"SymIntArgument(name='{self.name}')"


class ConstantArgument:
    def __init__(self, name, value):
        self.name = name
        self.value = value

    def __repr__(self):
        return f"ConstantArgument(name='{self.name}', value={self.value!r})"


class InputSpec:
    def __init__(self, kind, arg, target, persistent=None):
        self.kind = kind
        self.arg = arg
        self.target = target
        self.persistent = persistent

    def __repr__(self):
        return f"InputSpec(kind={self.kind!r}, arg={self.arg!r}, target={self.target!r}, persistent={self.persistent!r})"


class OutputSpec:
    def __init__(self, kind, arg, target):
        self.kind = kind
        self.arg = arg
        self.target = target

    def __repr__(self):
        return f"OutputSpec(kind={self.kind!r}, arg={self.arg!r}, target={self.target!r})"


def _argument(arg):
    if "as_tensor" in arg:
        return TensorArgument(arg["as_tensor"]["name"])
    for kind in ("as_sym_int", "as_sym_float", "as_sym_bool"):
        if kind in arg and "as_name" in arg[kind]:
            return SymIntArgument(arg[kind]["as_name"])
    value = next(iter(arg.values()))
    return ConstantArgument("", None if "as_none" in arg else value)


def _input_spec(spec):
    kind, value = next(iter(spec.items()))
    if kind == "user_input":
        return InputSpec(InputKind.USER_INPUT, _argument(value["arg"]), None)
    if kind == "constant_input":
        constant = value["value"]
        return InputSpec(InputKind.USER_INPUT, ConstantArgument(value["name"], None if "as_none" in constant else next(iter(constant.values()))), None)
    arg = TensorArgument(value["arg"]["name"])
    if kind == "parameter":
        return InputSpec(InputKind.PARAMETER, arg, value["parameter_name"])
    if kind == "buffer":
        return InputSpec(InputKind.BUFFER, arg, value["buffer_name"], value.get("persistent", True))
    if kind == "tensor_constant":
        return InputSpec(InputKind.CONSTANT_TENSOR, arg, value["tensor_constant_name"])
    if kind == "custom_obj":
        return InputSpec(InputKind.CUSTOM_OBJ, arg, value["custom_obj_name"])
    return InputSpec(InputKind.TOKEN, arg, None)


_OUTPUTS = {
    "loss_output": (OutputKind.LOSS_OUTPUT, None),
    "buffer_mutation": (OutputKind.BUFFER_MUTATION, "buffer_name"),
    "parameter_mutation": (OutputKind.PARAMETER_MUTATION, "parameter_name"),
    "gradient_to_parameter": (OutputKind.GRADIENT_TO_PARAMETER, "parameter_name"),
    "gradient_to_user_input": (OutputKind.GRADIENT_TO_USER_INPUT, "user_input_name"),
    "user_input_mutation": (OutputKind.USER_INPUT_MUTATION, "user_input_name"),
    "token": (OutputKind.TOKEN, None),
}


def _output_spec(spec):
    kind, value = next(iter(spec.items()))
    if kind == "user_output":
        return OutputSpec(OutputKind.USER_OUTPUT, _argument(value["arg"]), None)
    own, target = _OUTPUTS[kind]
    return OutputSpec(own, TensorArgument(value["arg"]["name"]), None if target is None else value[target])


class ExportGraphSignature:
    def __init__(self, input_specs, output_specs):
        self.input_specs = input_specs
        self.output_specs = output_specs

    @staticmethod
    def _from_json(signature):
        return ExportGraphSignature([_input_spec(s) for s in signature["input_specs"]], [_output_spec(s) for s in signature["output_specs"]])

    def _inputs(self, kind):
        return [s for s in self.input_specs if s.kind is kind]

    @property
    def parameters(self):
        return tuple(s.target for s in self._inputs(InputKind.PARAMETER))

    @property
    def buffers(self):
        return tuple(s.target for s in self._inputs(InputKind.BUFFER))

    @property
    def non_persistent_buffers(self):
        return {s.target for s in self._inputs(InputKind.BUFFER) if s.persistent is False}

    @property
    def lifted_tensor_constants(self):
        return tuple(s.target for s in self._inputs(InputKind.CONSTANT_TENSOR))

    @property
    def user_inputs(self):
        return tuple(s.arg.value if isinstance(s.arg, ConstantArgument) else s.arg.name for s in self._inputs(InputKind.USER_INPUT))

    @property
    def user_outputs(self):
        outputs = [s for s in self.output_specs if s.kind in (OutputKind.USER_OUTPUT, OutputKind.LOSS_OUTPUT)]
        return tuple(s.arg.value if isinstance(s.arg, ConstantArgument) else s.arg.name for s in outputs)

    @property
    def inputs_to_parameters(self):
        return {s.arg.name: s.target for s in self._inputs(InputKind.PARAMETER)}

    @property
    def inputs_to_buffers(self):
        return {s.arg.name: s.target for s in self._inputs(InputKind.BUFFER)}

    @property
    def inputs_to_lifted_tensor_constants(self):
        return {s.arg.name: s.target for s in self._inputs(InputKind.CONSTANT_TENSOR)}

    @property
    def buffers_to_mutate(self):
        return {s.arg.name: s.target for s in self.output_specs if s.kind is OutputKind.BUFFER_MUTATION}

    @property
    def user_inputs_to_mutate(self):
        return {s.arg.name: s.target for s in self.output_specs if s.kind is OutputKind.USER_INPUT_MUTATION}
