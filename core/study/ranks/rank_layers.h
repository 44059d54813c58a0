// SPDX-License-Identifier: Apache-2.0
#pragma once
// One number a layer and rank, of outputs of modules and of gradients of parameters: what heat maps of ranks show.

#include <optional>
#include <string>
#include <vector>

#include "core/study/ranks/rank_set.h"

namespace loupe::session {

enum class LayerMeasure { Norm, MeanAbs, NotFinite };
constexpr LayerMeasure last_of(LayerMeasure) { return LayerMeasure::NotFinite; }

struct LayerCell {
    bool is_there = false;  // the rank has such a value, with numbers
    Statistics statistics;
    EventId event = 0;  // that made it
    ValueId value = 0;
    // NaN: there is no such number (no finite element).
    double number(LayerMeasure measure) const;
};
struct LayerRow {
    std::string name;              // of the module, or of the parameter
    std::vector<LayerCell> cells;  // by place
    bool differs = false;          // between ranks, in any of its numbers
};

// The last forward output of every module that was called, in the order of their first calls.
std::vector<LayerRow> module_layers(const RankSet& set);
// The last gradient of every parameter, in the order of the first rank's parameters.
std::vector<LayerRow> gradient_layers(const RankSet& set);

}  // namespace loupe::session
