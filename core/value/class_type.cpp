// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/value/schema.h"
#include "core/value/type.h"

namespace loupe {

std::optional<std::size_t> ClassType::find_attribute(std::string_view name) const {
    const auto found = slots_.find(std::string(name));
    if (found == slots_.end()) return std::nullopt;
    return found->second;
}

std::size_t ClassType::add_attribute(std::string name, TypePtr type, AttributeKind kind) {
    const std::size_t slot = attributes_.size();
    if (!slots_.emplace(name, slot).second) {
        throw Error(ErrorKind::Compile, concat("attempting to add attribute '", name, "' to ", name_,
                                               " but a field of the same name already exists"));
    }
    attributes_.push_back({std::move(name), std::move(type), kind});
    return slot;
}

void ClassType::remove_attribute(std::size_t slot) {
    slots_.erase(attributes_.at(slot).name);
    attributes_.erase(attributes_.begin() + static_cast<std::ptrdiff_t>(slot));
    for (auto& [name, index] : slots_) {
        if (index > slot) --index;
    }
}

void ClassType::set_attribute_type(std::size_t slot, TypePtr type, AttributeKind kind) {
    attributes_.at(slot).type = std::move(type);
    attributes_[slot].kind = kind;
}

Function* ClassType::find_method(std::string_view name) const {
    const auto found = std::find_if(methods_.begin(), methods_.end(), [&](const auto& m) { return m.first == name; });
    return found == methods_.end() ? nullptr : found->second;
}

void ClassType::add_method(std::string name, Function* method) { methods_.emplace_back(std::move(name), method); }

}  // namespace loupe
