// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/registry.h"

#include "views/events/events_view.h"
#include "views/graph/graph_view.h"
#include "views/tensor/tensor_view.h"
#include "views/timeline/timeline_view.h"

namespace loupe::views {

const ViewRegistry& registry() {
    static const ViewRegistry all = [] {
        ViewRegistry registry;
        registry.add<GraphView>();
        registry.add<EventsView>();
        registry.add<TensorView>();
        registry.add<TimelineView>();
        return registry;
    }();
    return all;
}

}  // namespace loupe::views
