// SPDX-License-Identifier: Apache-2.0
#include "core/nn/functional/operator_call.h"

namespace loupe::nn::functional {

void call_with(const Operator& op, Arguments arguments, IValue* result) {
    std::vector<IValue> padded;
    if (arguments.size() < op.argument_count()) {
        padded.assign(arguments.begin(), arguments.end());
        loupe::detail::fill_default_arguments(op, padded);
        arguments = padded;
    }
    if (op.result_count() == 1) return call_operator(op, arguments, result);
    std::vector<IValue> results(op.result_count());
    call_operator(op, arguments, results.data());
    *result = make_ptr<TupleObject>(std::move(results));
}

}  // namespace loupe::nn::functional
