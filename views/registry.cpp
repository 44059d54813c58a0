// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/registry.h"

#include "views/graph/graph_view.h"

namespace loupe::views {

const ViewRegistry& registry() {
    static const ViewRegistry all = [] {
        ViewRegistry registry;
        registry.add<GraphView>();
        return registry;
    }();
    return all;
}

}  // namespace loupe::views
