// SPDX-License-Identifier: Apache-2.0
#include "core/ir/symbol.h"

#include <deque>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace loupe::ir {
namespace {

struct Table {
    std::shared_mutex mutex;
    std::deque<std::string> names;  // addresses stay
    std::unordered_map<std::string_view, std::uint32_t> ids;

    Table() {
        add("");
#define LOUPE_SYMBOL(n) add("prim::" #n);
        LOUPE_PRIM_SYMBOLS(LOUPE_SYMBOL)
#undef LOUPE_SYMBOL
#define LOUPE_SYMBOL(n) add(#n);
        LOUPE_ATTRIBUTE_SYMBOLS(LOUPE_SYMBOL)
#undef LOUPE_SYMBOL
    }
    std::uint32_t add(std::string_view name) {
        const auto id = static_cast<std::uint32_t>(names.size());
        names.emplace_back(name);
        ids.emplace(names.back(), id);
        return id;
    }
};

Table& table() {
    static Table instance;
    return instance;
}

}  // namespace

Symbol Symbol::intern(std::string_view name) {
    Table& t = table();
    {
        const std::shared_lock lock(t.mutex);
        const auto found = t.ids.find(name);
        if (found != t.ids.end()) return known(found->second);
    }
    const std::unique_lock lock(t.mutex);
    const auto found = t.ids.find(name);
    return known(found != t.ids.end() ? found->second : t.add(name));
}

const std::string& Symbol::str() const {
    Table& t = table();
    const std::shared_lock lock(t.mutex);
    return t.names[id_];
}

std::string_view Symbol::space() const {
    const std::string_view whole = str();
    const auto colons = whole.find("::");
    return colons == std::string_view::npos ? std::string_view() : whole.substr(0, colons);
}

std::string_view Symbol::name() const {
    const std::string_view whole = str();
    const auto colons = whole.find("::");
    return colons == std::string_view::npos ? whole : whole.substr(colons + 2);
}

}  // namespace loupe::ir
