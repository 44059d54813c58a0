// SPDX-License-Identifier: Apache-2.0
// The functions of torch.nn.functional and torch.nn.init by name.
#include <unordered_map>
#include <vector>

#include "core/nn/functional/families.h"
#include "core/nn/init/init.h"
#include "core/nn/native_function.h"

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

}  // namespace loupe::nn
