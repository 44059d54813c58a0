// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/node_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/record/not_finite.h"
#include "views/common/format.h"

namespace loupe::views {

void NodeMetrics::reset(const GraphIndex* index, const session::Recording* recording) {
    token_axes_.clear();
    index_ = index;
    recording_ = recording;
    times_ = recording ? recording->warm_times() : nullptr;
    seen_ = 0;
    metrics_.assign(index ? index->model().nodes.size() : 0, {});
}

bool NodeMetrics::update(std::size_t event_count) {
    if (index_ == nullptr || recording_ == nullptr) return false;
    event_count = std::min(event_count, recording_->event_count());
    const bool is_new = seen_ < event_count;
    for (; seen_ < event_count; ++seen_) {
        const session::Event& event = recording_->event(static_cast<session::EventId>(seen_ + 1));
        const bool is_backward = event.phase == session::RunPhase::Backward;
        double magnitude = -1;
        std::int64_t bytes = 0;
        const session::OperatorTime* time = times_ ? times_->of(event.id) : nullptr;
        const double seconds = time ? time->median : event.duration;
        for (session::ValueId id : event.outputs) {
            const session::Value& value = recording_->value(id);
            bytes += value.bytes;
            if (value.statistics && value.statistics->finite)
                magnitude = std::max(magnitude, value.statistics->finite->abs_max);
        }
        // An operator, and every group around it.
        int node = event.graph_node;
        if (node >= index_->ownCount()) node = -1;
        for (; node >= 0; node = index_->node(node).parent) {
            NodeMetric& metric = metrics_[static_cast<std::size_t>(node)];
            (is_backward ? metric.backward : metric.forward) = event.id;
            metric.seconds += seconds;
            if (!is_backward) metric.bytes += bytes;
            double& greatest = is_backward ? metric.gradient : metric.activation;
            greatest = std::max(greatest, magnitude);
            if (session::is_graver(event.not_finite, metric.not_finite)) {
                metric.not_finite = event.not_finite;
                metric.not_finite_event = event.id;
            }
            metric.failed = metric.failed || event.failed;
            if (event.failed) metric.error = event.error;
        }
    }
    return is_new;
}

void NodeMetrics::setDifferences(const session::RunDifferences* differences) {
    for (NodeMetric& metric : metrics_) {
        metric.difference = -1;
        metric.diverges = false;
        metric.change = NodeMetric::Change::None;
    }
    if (differences == nullptr || index_ == nullptr || recording_ == nullptr) return;
    for (const session::EventDifference& row : differences->events) {
        if (row.here == 0 || row.here > recording_->event_count()) continue;
        const session::Event& event = recording_->event(row.here);
        if (event.phase != session::RunPhase::Forward) continue;
        int node = event.graph_node < index_->ownCount() ? event.graph_node : -1;
        const bool is_added = row.there == 0 && differences->aligned > 0;
        const bool is_replaced =
            row.there != 0 && shortOpName(differences->reference_events[row.there - 1].op) != shortOpName(event.op) &&
            differences->reference_events[row.there - 1].op != session::kReferenceArray;
        if (node >= 0 && is_added) metrics_[static_cast<std::size_t>(node)].change = NodeMetric::Change::Added;
        if (node >= 0 && is_replaced) metrics_[static_cast<std::size_t>(node)].change = NodeMetric::Change::Replaced;
        double noise = -1;
        if (row.numbers)
            noise = row.numbers->not_finite > 0 ? std::numeric_limits<double>::infinity()
                                                : std::pow(10.0, -row.numbers->snr_db / 20);
        for (; node >= 0; node = index_->node(node).parent) {
            NodeMetric& metric = metrics_[static_cast<std::size_t>(node)];
            metric.difference = std::max(metric.difference, noise);
            metric.diverges = metric.diverges || row.diverges;
        }
    }
}

const NodeMetric& NodeMetrics::of(int node) const {
    static const NodeMetric none;
    return node >= 0 && node < static_cast<int>(metrics_.size()) ? metrics_[static_cast<std::size_t>(node)] : none;
}

const session::Value* NodeMetrics::portValue(const GraphPort& port) const {
    if (recording_ == nullptr) return nullptr;
    if (port.node < 0) {
        // An input of the method: read by a forward event and produced by none.
        for (std::size_t i = 0; i < std::min<std::size_t>(seen_, 64); ++i) {
            for (session::ValueId id : recording_->event(static_cast<session::EventId>(i + 1)).inputs) {
                const session::Value& value = recording_->value(id);
                const auto& names = index_->model().inputs;
                if (value.producer == 0 && port.port < static_cast<int>(names.size()) &&
                    (value.name == names[static_cast<std::size_t>(port.port)] ||
                     value.name == "%" + names[static_cast<std::size_t>(port.port)])) {
                    return &value;
                }
            }
        }
        return nullptr;
    }
    const session::EventId id = of(port.node).forward;
    if (id == 0) return nullptr;
    const auto& outputs = recording_->event(id).outputs;
    if (port.port >= static_cast<int>(outputs.size())) return nullptr;
    return &recording_->value(outputs[static_cast<std::size_t>(port.port)]);
}

void NodeMetrics::setSizes(const session::GraphSizes& sizes) {
    input_sizes_ = sizes.inputs;
    sizes_.assign(metrics_.size(), {});
    for (const auto& node : sizes.nodes) {
        if (node.node >= 0 && node.node < static_cast<int>(sizes_.size()))
            sizes_[static_cast<std::size_t>(node.node)] = node.outputs;
    }
}

void NodeMetrics::setTokenAxes(const session::TokenAxesAnswer& axes) {
    token_axes_.clear();
    for (const session::TokenAxisOfValue& each : axes.axes) token_axes_[each.value].push_back(each.axis);
}

bool NodeMetrics::hasTokens(const GraphPort& port) const {
    const session::Value* value = portValue(port);
    return value != nullptr && token_axes_.contains(value->id);
}

namespace {

// float32 is omitted. tokens: axes whose sizes stand in brackets.
QString sizeText(const session::Shape& shape, std::string_view dtype, const std::vector<int>& tokens = {}) {
    QStringList sizes;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const bool isToken = std::find(tokens.begin(), tokens.end(), static_cast<int>(i)) != tokens.end();
        sizes += (isToken ? QStringLiteral("[%1]") : QStringLiteral("%1")).arg(shape[i]);
    }
    const QString words = tokens.empty() ? shapeText(shape) : sizes.join(QLatin1Char('x'));
    return dtype == "float32" ? words : words + QLatin1Char(' ') + text(dtype);
}

}  // namespace

QString NodeMetrics::portText(const GraphPort& port) const {
    if (const session::Value* value = portValue(port)) {
        const auto tokens = token_axes_.find(value->id);
        return sizeText(value->shape, value->dtype, tokens != token_axes_.end() ? tokens->second : std::vector<int>());
    }
    if (const Ghost* ghost = index_ != nullptr ? index_->ghost(port.node) : nullptr)
        return port.port == 0 && ghost->event != 0 ? sizeText(ghost->shape, ghost->dtype) : QString();
    const bool is_known = port.node < 0 || port.node < static_cast<int>(sizes_.size());
    if (!is_known) return {};
    const auto& outputs = port.node < 0 ? input_sizes_ : sizes_[static_cast<std::size_t>(port.node)];
    if (port.port < 0 || port.port >= static_cast<int>(outputs.size())) return {};
    const auto& output = outputs[static_cast<std::size_t>(port.port)];
    if (output.dtype.empty()) return {};
    return sizeText({output.shape.begin(), output.shape.end()}, output.dtype);
}

}  // namespace loupe::views
