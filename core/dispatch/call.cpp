// SPDX-License-Identifier: Apache-2.0
#include "core/dispatch/call.h"

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"

namespace loupe::detail {

const Operator& operator_or_throw(const char* full_name) {
    const Operator* op = find_operator(full_name);
    if (op == nullptr) throw Error(ErrorKind::Internal, concat("operator ", full_name, " is not registered"));
    return *op;
}

void fill_default_arguments(const Operator& op, std::vector<IValue>& arguments) {
    if (arguments.size() > op.argument_count()) {
        throw Error(ErrorKind::Internal, concat(op.full_name, " called with ", arguments.size(), " arguments"));
    }
    for (std::size_t i = arguments.size(); i < op.argument_count(); ++i) {
        const Argument& argument = op.schema.arguments[i];
        if (!argument.default_value) {
            throw Error(ErrorKind::Internal, concat(op.full_name, " called without argument ", argument.name));
        }
        arguments.push_back(*argument.default_value);
    }
}

void bad_dtype_number(std::int64_t number) {
    throw Error(ErrorKind::Unsupported, concat("dtype number ", number, " is not supported"));
}

}  // namespace loupe::detail
