// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/exception_names.h"

#include <algorithm>
#include <initializer_list>

#include "core/base/typed_error.h"

namespace loupe::python {
namespace {

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
    return std::any_of(starts.begin(), starts.end(), [&](std::string_view start) { return text.starts_with(start); });
}

// Of dtypes that an operator does not take PyTorch raises two kinds of errors.
bool is_not_implemented(std::string_view text) {
    if (text.starts_with('"') && text.find("\" not implemented for '") != std::string_view::npos) return true;
    for (const std::string_view part : {" is not supported for complex inputs",
                                        "clamp is not supported for complex types",
                                        "Bool inputs not supported for ",
                                        "Boolean inputs not supported for ",
                                        "Negation, the `-` operator, on a bool",
                                        "Subtraction, the `-` operator, with ",
                                        "torch.sign is not intended to support complex",
                                        "argmax(): does not support bool",
                                        "argmin(): does not support bool",
                                        "cov(): bool dtype is not supported",
                                        "is not yet implemented for complex tensors",
                                        "is not implemented for complex tensors.",
                                        "is not supported for complex tensors.",
                                        "The `+` operator, on a bool tensor",
                                        ": Expected a floating point or complex tensor as input. Got ",
                                        ": Low precision dtypes not supported. Got ",
                                        "could not infer output dtype. Input dtype must be",
                                        "expected input to have floating point or complex dtype but got",
                                        " on CPU does not support complex inputs",
                                        "std and var only support floating point",
                                        "topk does not support bool"}) {
        if (text.find(part) != std::string_view::npos) return true;
    }
    return text.starts_with("Unsupported dtype ");
}
bool is_of_type(std::string_view text) {
    for (const std::string_view part :
         {"Sort does not support complex dtypes", "topk does not support complex dtypes",
          "aminmax not implemented for ", "max(): does not support complex", "min(): does not support complex",
          "argmax(): does not support complex", "argmin(): does not support complex",
          "is not implemented for tensors with non-complex dtypes", "imum not implemented for complex tensors.",
          "fmax not implemented for complex tensors.", "fmin not implemented for complex tensors.",
          "view_as_real is only supported for complex tensors"}) {
        if (text.find(part) != std::string_view::npos) return true;
    }
    return false;
}

}  // namespace

std::string_view exception_name(const Error& error) {
    if (const auto* typed = dynamic_cast<const TypedError*>(&error)) return typed->exception();
    const std::string_view text = error.message();
    if (text.starts_with("CUDA out of memory.")) return "OutOfMemoryError";
    if (text.starts_with("CUDA error: ")) return "AcceleratorError";
    if (is_not_implemented(text)) return "NotImplementedError";
    if (is_of_type(text)) return "TypeError";
    if (starts_with_any(text, {"Dimension out of range", "dimension specified as", "too many indices for tensor",
                               "tensors used as indices must be", "The shape of the mask", "invalid index of a 0-dim",
                               "select(): index", "Dimension specified as"})) {
        return "IndexError";
    }
    if (text.starts_with("index ") && text.find("is out of bounds for dimension") != std::string_view::npos) {
        const std::string& op = error.context().op;
        return op.find("gather") != std::string::npos || op.find("scatter") != std::string::npos ? "RuntimeError"
                                                                                                 : "IndexError";
    }
    const auto holds = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
    if (text.starts_with("input.size(-1) must be equal") || holds("must be divisible by given blocksize"))
        return "RuntimeError";
    if (starts_with_any(text, {"was expecting embedding dimension", "embed_dim must be divisible by num_heads"}))
        return "AssertionError";
    if (text.starts_with("param 'initial_lr' is not specified")) return "KeyError";
    if (text.starts_with("params argument given to the optimizer") || text.ends_with(" is not an Optimizer"))
        return "TypeError";
    if (starts_with_any(
            text, {"only one element tensors can be converted", "Expected input batch_size", "Using a target size",
                   "Target size (", "either size or scale_factor", "parameter group didn't specify",
                   "some parameters appear in more than one", "Factor should be < 1.0"}) ||
        text.ends_with(" is not a valid value for reduction") ||
        (text.starts_with("expected ") && holds("D input (got "))) {
        return "ValueError";
    }
    if (starts_with_any(
            text, {"Invalid ", "optimizer got an empty parameter list", "Nesterov momentum requires",
                   "Expected more than 1 value per channel", "dropout probability has to be between",
                   "Fan in and fan out can not", "embed_dim and num_heads must be greater than 0",
                   "Unsupported nonlinearity", "in_channels must be divisible", "out_channels must be divisible"})) {
        return "ValueError";
    }
    if (starts_with_any(text, {"index out of range in self"}) ||
        (text.starts_with("Target ") && text.ends_with("is out of bounds."))) {
        return "IndexError";
    }
    if (holds(" required positional argument") || holds("got an unexpected keyword argument") ||
        holds(" must be Tensor, not") || holds(" positional argument") || holds(" is not a Module subclass") ||
        holds("' object is not callable") || holds(") must be ") || text.starts_with("cannot assign '") ||
        holds("got multiple values for argument")) {
        return "TypeError";
    }
    if (holds(" object has no attribute ") || holds(" has no attribute `")) return "AttributeError";
    if ((text.starts_with("attribute '") && text.ends_with("already exists")) || holds(" name can't "))
        return "KeyError";
    if (text.ends_with("is missing the required \"forward\" function")) return "NotImplementedError";
    if (error.kind() == ErrorKind::Unsupported) return "NotImplementedError";
    return "RuntimeError";
}

}  // namespace loupe::python
