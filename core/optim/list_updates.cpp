// SPDX-License-Identifier: Apache-2.0
#include "core/optim/list_updates.h"

#include <algorithm>

namespace loupe::optim {
namespace {

thread_local ListUpdates* current_updates = nullptr;

}  // namespace

ListUpdates::ListUpdates() { current_updates = this; }
ListUpdates::~ListUpdates() { current_updates = nullptr; }
ListUpdates* ListUpdates::current() { return current_updates; }

void ListUpdates::add(const TensorList& tensors, const ListRecorder& recorder, bool in_double) {
    const ListProgram program = recorder.finish();
    const Device device = tensors[0].device();
    auto group = std::ranges::find_if(groups_, [&](const Group& g) {
        return g.call.in_double == in_double && g.call.program == program &&
               g.call.entries[0].tensors[0].device() == device;
    });
    if (group == groups_.end()) {
        groups_.emplace_back();
        group = groups_.end() - 1;
        group->call.program = program;
        group->call.in_double = in_double;
    }
    group->entries.emplace_back(tensors);
    group->call.entries.push_back({group->entries.back().tensors(), recorder.numbers(), {}});
}

void ListUpdates::run() {
    for (const Group& group : groups_) {
        run_lists(group.call);
        for (const DenseEntry& entry : group.entries) entry.put_back(group.call.program);
        for (const ListEntry& entry : group.call.entries) {
            for (std::size_t t = 0; t < entry.tensors.size(); ++t) {
                if (group.call.program.is_written[t]) entry.tensors[t].storage()->bump_version();
            }
        }
    }
    groups_.clear();
}

void update_listed(const TensorList& tensors, const ListRecorder& recorder, bool in_double) {
    if (ListUpdates* const updates = ListUpdates::current()) return updates->add(tensors, recorder, in_double);
    ListUpdates alone;
    alone.add(tensors, recorder, in_double);
    alone.run();
}

}  // namespace loupe::optim
