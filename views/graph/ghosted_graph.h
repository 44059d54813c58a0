// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model's graph with what only a reference's graph has: ghosts, between the nodes that their neighbours are aligned
// with. Operators are ghosts that ran in the reference and have no partner here, and modules with nothing else in them.

#include <memory>
#include <vector>

#include "core/model/model_info.h"
#include "core/record/recording.h"

namespace loupe::views {

struct Ghost {
    int there = -1;              // in the reference's graph
    session::EventId event = 0;  // that it ran as there, the last in forward; 0: a module
    session::Shape shape = {};   // of its first output
    std::string dtype = {};
    double seconds = 0;
    std::int64_t bytes = 0;
    int after = -1;  // the node that it comes behind; -1: before all
    bool operator==(const Ghost&) const = default;
};

struct GhostedGraph {
    explicit GhostedGraph(std::shared_ptr<const session::GraphModel> plain)
        : model(std::move(plain)), own(model->nodes.size()) {}

    std::shared_ptr<const session::GraphModel> model;
    std::size_t own;            // nodes of the model; ghosts come behind them
    std::vector<Ghost> ghosts;  // in the order of their nodes
};

}  // namespace loupe::views
