// SPDX-License-Identifier: Apache-2.0
#pragma once
// Calls of operators as PyTorch's Python argument parser makes them.

#include "core/base/error.h"
#include "core/python/torch/torch_signatures.h"
#include "core/value/callable.h"

namespace loupe::python {

// Picks the signature that the arguments fit, converts them and calls the operator. self: of a method; null for a
// function. Throws PythonError with PyTorch's messages: TypeError when none fits.
IValue call_signatures(const SignatureSet& set, const IValue* self, CallArguments& arguments);

// Throws RuntimeError "Overflow when unpacking long" for an int of more than 64 bits.
void check_unpacks(const IValue& value);

// A number of a class that derives from int or float, such as numpy.int64, as the number that it is; lists and tuples
// of such likewise. Other values as they are.
IValue with_plain_numbers(const IValue& value);

// The operator that a call would go to; throws as call_signatures.
const Operator& choose_overload(const SignatureSet& set, const CallArguments& arguments);

// "aten::" and the name given, as a function: torch.<name>(arguments). Throws Error (Internal) for an unknown name.
IValue call_function(std::string_view name, CallArguments arguments);
IValue call_function(std::string_view name, std::vector<IValue> positional,
                     std::vector<std::pair<std::string, IValue>> keywords = {});

// Runs work; an Error of the engine becomes the exception that PyTorch throws there (IndexError, ValueError, ...).
template <typename Work>
auto with_python_errors(Work&& work);

// What an operator's result is in Python: lists of tensors are tuples, several results a torch.return_types tuple.
IValue to_python_result(const Operator& op, std::vector<IValue> results);

// requires_grad=True of a function that makes a tensor. Throws RuntimeError for an integral dtype.
void require_gradient(const Tensor& made);

[[noreturn]] void rethrow_as_python(const Error& error);

template <typename Work>
auto with_python_errors(Work&& work) {
    try {
        return work();
    } catch (const Error& error) {
        rethrow_as_python(error);
    }
}

}  // namespace loupe::python
