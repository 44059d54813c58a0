// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/registry.h"

namespace loupe::views {

const ViewRegistry& registry() {
    static const ViewRegistry all = [] {
        ViewRegistry registry;
        return registry;
    }();
    return all;
}

}  // namespace loupe::views
