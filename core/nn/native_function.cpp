// SPDX-License-Identifier: Apache-2.0
#include "core/nn/native_function.h"

#include <memory>
#include <mutex>
#include <unordered_map>

#include "core/base/strings.h"
#include "core/value/bind_arguments.h"

namespace loupe::nn {
namespace {

class FunctionValue final : public Callable {
  public:
    explicit FunctionValue(const NativeFunction& function) : function_(function) {}
    IValue call(CallArguments arguments) override { return call_function(function_, std::move(arguments)); }
    std::string describe() const override { return std::string(function_.name()); }

  private:
    const NativeFunction& function_;
};

}  // namespace

const FunctionSchema& schema_of(const NativeFunction& function) {
    thread_local std::unordered_map<const NativeFunction*, const FunctionSchema*> known;
    const FunctionSchema*& local = known[&function];
    if (local != nullptr) return *local;
    static std::mutex mutex;
    static std::unordered_map<const NativeFunction*, std::unique_ptr<FunctionSchema>> all;
    const std::lock_guard lock(mutex);
    auto& schema = all[&function];
    if (!schema) schema = std::make_unique<FunctionSchema>(parse_schema(function.schema));
    local = schema.get();
    return *local;
}

IValue call_function(const NativeFunction& function, CallArguments arguments) {
    const auto bound = bind_arguments(schema_of(function), std::move(arguments));
    IValue result;
    function.call(bound, &result);
    return result;
}

IValue function_value(const NativeFunction& function) { return IValue::other(make_ptr<FunctionValue>(function)); }

}  // namespace loupe::nn
