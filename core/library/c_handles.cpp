// SPDX-License-Identifier: Apache-2.0
#include "core/library/c_handles.h"

#include "core/base/strings.h"

namespace loupe::c_api {
namespace {

thread_local std::string last_error;

}  // namespace

const char* last_error_text() { return last_error.c_str(); }

tl_status failed(ErrorKind kind, std::string text) {
    last_error = std::move(text);
    switch (kind) {
        case ErrorKind::Usage:
            return TL_ERROR_USAGE;
        case ErrorKind::File:
            return TL_ERROR_FILE;
        case ErrorKind::Unsupported:
            return TL_ERROR_UNSUPPORTED;
        case ErrorKind::Compile:
            return TL_ERROR_COMPILE;
        case ErrorKind::Run:
            return TL_ERROR_RUN;
        case ErrorKind::Plugin:
            return TL_ERROR_PLUGIN;
        case ErrorKind::Cancelled:
            return TL_ERROR_CANCELLED;
        case ErrorKind::Internal:
            break;
    }
    return TL_ERROR_INTERNAL;
}

void require(const void* pointer, const char* function, const char* argument) {
    if (pointer == nullptr) throw Error(ErrorKind::Usage, concat(function, ": ", argument, " is NULL"));
}

std::vector<IValue> arguments_of(tl_tensor* const* inputs, std::size_t count, const char* function) {
    if (count > 0) require(inputs, function, "inputs");
    std::vector<IValue> arguments;
    for (std::size_t i = 0; i < count; ++i) {
        require(inputs[i], function, "an input");
        arguments.emplace_back(inputs[i]->tensor);
    }
    return arguments;
}

std::unique_ptr<tl_tensors> list_of(TensorList tensors) {
    auto list = std::make_unique<tl_tensors>();
    for (Tensor& tensor : tensors) list->tensors.emplace_back(std::string(), std::move(tensor));
    return list;
}

}  // namespace loupe::c_api
