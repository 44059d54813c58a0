// SPDX-License-Identifier: Apache-2.0
#pragma once
// What stands behind the handles of c_api.h, and how its functions turn exceptions into codes.

#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/library/c_api.h"
#include "core/library/model.h"
#include "core/tensor/tensor.h"

struct tl_model {
    loupe::Model model;
};
struct tl_tensor {
    loupe::Tensor tensor;
    std::string text = {};
};
struct tl_tensors {
    loupe::nn::Named<loupe::Tensor> tensors;
};

namespace loupe::c_api {

// Keeps the text for tl_last_error and gives the code.
tl_status failed(ErrorKind kind, std::string text);
const char* last_error_text();

// Runs work; no exception leaves.
template <typename Work>
tl_status guarded(Work&& work) {
    try {
        work();
        return TL_OK;
    } catch (const Error& error) {
        return failed(error.kind(), error.what());
    } catch (const std::exception& error) {
        return failed(ErrorKind::Internal, error.what());
    } catch (...) {
        return failed(ErrorKind::Internal, "an exception of no known type");
    }
}
// Throws Error (Usage): "tl_tensor_view: view is NULL".
void require(const void* pointer, const char* function, const char* argument);

std::vector<IValue> arguments_of(tl_tensor* const* inputs, std::size_t count, const char* function);
// Without names.
std::unique_ptr<tl_tensors> list_of(TensorList tensors);

}  // namespace loupe::c_api
