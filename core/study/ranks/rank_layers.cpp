// SPDX-License-Identifier: Apache-2.0
#include "core/study/ranks/rank_layers.h"

#include <cmath>
#include <map>
#include <string_view>

#include "core/study/ranks/rank_values.h"

namespace loupe::session {
namespace {

constexpr std::string_view kGradient = "grad of ";

// Rows by name, in the order in which they are first met.
class Table {
  public:
    explicit Table(std::size_t ranks) : ranks_(ranks) {}
    LayerCell& cell(std::string_view name, std::size_t place) {
        const auto [found, is_new] = rows_by_name_.try_emplace(std::string(name), rows_.size());
        if (is_new) rows_.push_back({std::string(name), std::vector<LayerCell>(ranks_), false});
        return rows_[found->second].cells[place];
    }
    std::vector<LayerRow> take() {
        for (LayerRow& row : rows_) {
            const LayerCell* first = nullptr;
            for (const LayerCell& cell : row.cells) {
                if (!cell.is_there) continue;
                if (first == nullptr) first = &cell;
                row.differs =
                    row.differs || compare_statistics(first->statistics, cell.statistics) == Agreement::Different;
            }
        }
        return std::move(rows_);
    }

  private:
    std::size_t ranks_;
    std::vector<LayerRow> rows_;
    std::map<std::string, std::size_t> rows_by_name_;
};

void set_cell(LayerCell& cell, const Recording& recording, ValueId id, EventId event) {
    const Value& value = recording.value(id);
    if (!value.statistics) return;
    cell = {true, *value.statistics, event, id};
}

}  // namespace

double LayerCell::number(LayerMeasure measure) const {
    if (!is_there) return std::nan("");
    if (measure == LayerMeasure::NotFinite)
        return statistics.count == 0 ? 0
                                     : static_cast<double>(statistics.nan_count + statistics.inf_count) /
                                           static_cast<double>(statistics.count);
    if (!statistics.finite) return std::nan("");
    return measure == LayerMeasure::Norm ? statistics.finite->norm : statistics.finite->abs_mean;
}

std::vector<LayerRow> module_layers(const RankSet& set) {
    Table table(set.ranks.size());
    for (std::size_t place = 0; place < set.ranks.size(); ++place) {
        const Recording& recording = *set.ranks[place].recording;
        for (std::uint32_t id = 1; id <= recording.frame_count(); ++id) {
            const Frame& frame = recording.frame(id);
            const EventId last = recording.frame_end(id);
            if (last < frame.first_event || last == 0 || last > recording.event_count()) continue;
            const Event& event = recording.event(last);
            if (event.phase != RunPhase::Forward || event.outputs.empty()) continue;
            set_cell(table.cell(frame.scope, place), recording, event.outputs.front(), last);
        }
    }
    return table.take();
}

std::vector<LayerRow> gradient_layers(const RankSet& set) {
    Table table(set.ranks.size());
    for (std::size_t place = 0; place < set.ranks.size(); ++place) {
        const Recording& recording = *set.ranks[place].recording;
        std::map<std::string, ValueId> last;
        const ParameterVersions parameters = parameter_versions(recording);
        for (ValueId id = 1; id <= recording.value_count(); ++id) {
            const std::string& name = recording.value(id).name;
            if (!name.starts_with(kGradient)) continue;
            const auto found = parameters.find(name.substr(kGradient.size()));
            if (found != parameters.end() && recording.value(id).shape == recording.value(found->second.front()).shape)
                last[found->first] = id;
        }
        // Parameters in the order in which they were first read.
        std::map<ValueId, std::string> order;
        for (const auto& [name, versions] : parameters) order[versions.front()] = name;
        for (const auto& [first, name] : order) {
            LayerCell& cell = table.cell(name, place);
            const auto found = last.find(name);
            if (found != last.end()) set_cell(cell, recording, found->second, recording.value(found->second).producer);
        }
    }
    return table.take();
}

}  // namespace loupe::session
