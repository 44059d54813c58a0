// SPDX-License-Identifier: Apache-2.0
#include "core/passes/pass_list.h"

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::passes {
namespace {

std::vector<const Pass*>& registry() {
#define LOUPE_LIST_PASS(name) &name,
    static std::vector<const Pass*> passes = {LOUPE_PASSES(LOUPE_LIST_PASS)};
#undef LOUPE_LIST_PASS
    return passes;
}

}  // namespace

std::span<const Pass* const> all_passes() { return registry(); }

void register_pass(const Pass& pass) {
    if (find_pass(pass.name) != nullptr)
        throw Error(ErrorKind::Usage, concat("there is a pass '", pass.name, "' already"));
    registry().push_back(&pass);
}

const Pass* find_pass(std::string_view name) {
    for (const Pass* pass : all_passes()) {
        if (pass->name == name) return pass;
    }
    return nullptr;
}

}  // namespace loupe::passes
