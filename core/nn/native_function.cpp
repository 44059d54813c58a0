// SPDX-License-Identifier: Apache-2.0
#include "core/nn/native_function.h"

#include <memory>
#include <mutex>
#include <unordered_map>

#include "core/base/strings.h"
#include "core/nn/functional/families.h"
#include "core/nn/init/init.h"
#include "core/value/bind_arguments.h"

namespace loupe::nn {
namespace {

using Records = std::vector<const NativeFunction*>;
using ByName = std::unordered_map<std::string_view, const NativeFunction*>;

ByName by_name(std::span<const NativeFunction* const> records) {
    ByName out;
    for (const NativeFunction* record : records) out.emplace(record->name(), record);
    return out;
}

const NativeFunction* found_in(const ByName& records, std::string_view name) {
    const auto found = records.find(name);
    return found == records.end() ? nullptr : found->second;
}

class FunctionValue final : public Callable {
  public:
    explicit FunctionValue(const NativeFunction& function) : function_(function) {}
    IValue call(CallArguments arguments) override { return call_function(function_, std::move(arguments)); }
    std::string describe() const override { return std::string(function_.name()); }

  private:
    const NativeFunction& function_;
};

}  // namespace

std::span<const NativeFunction* const> functional_records() {
    static const Records all = [] {
        Records out;
        for (const auto family : functional_families()) {
            for (const NativeFunction& record : family) out.push_back(&record);
        }
        return out;
    }();
    return all;
}

std::span<const NativeFunction* const> init_records() {
    static const Records all = [] {
        Records out;
        for (const NativeFunction& record : init::records()) out.push_back(&record);
        return out;
    }();
    return all;
}

const NativeFunction* find_functional(std::string_view name) {
    static const ByName records = by_name(functional_records());
    return found_in(records, name);
}

const NativeFunction* find_init(std::string_view name) {
    static const ByName records = by_name(init_records());
    return found_in(records, name);
}

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
