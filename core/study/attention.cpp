// SPDX-License-Identifier: Apache-2.0
#include "core/study/attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/study/event_arguments.h"

namespace loupe::session {
namespace {

constexpr std::string_view kFused = "scaled_dot_product";
constexpr std::array<std::string_view, 2> kSoftmax{"aten::softmax", "aten::_softmax"};
constexpr std::array<std::string_view, 6> kProducts{"aten::matmul",  "aten::bmm",    "aten::mm",
                                                    "aten::baddbmm", "aten::einsum", "aten::_nested_tensor_matmul"};
// Between the softmax and the product: dropout, the mask of rows that see nothing, another type or shape.
constexpr std::array<std::string_view, 20> kPassing{"aten::to",           "aten::_to_copy",     "aten::type_as",
                                                    "aten::dropout",      "aten::dropout_",     "aten::native_dropout",
                                                    "aten::view",         "aten::reshape",      "aten::_reshape_alias",
                                                    "aten::alias",        "aten::_unsafe_view", "aten::expand",
                                                    "aten::contiguous",   "aten::clone",        "aten::masked_fill",
                                                    "aten::masked_fill_", "aten::mul",          "aten::nan_to_num",
                                                    "aten::unsqueeze",    "aten::squeeze"};

template <std::size_t N>
bool is_one_of(std::string_view op, const std::array<std::string_view, N>& names) {
    return std::ranges::find(names, op) != names.end();
}

bool is_fused(const Event& event) {
    return event.phase == RunPhase::Forward && event.op.find(kFused) != std::string_view::npos;
}

TokenAxis axis_of(const TokenAxes& axes, ValueId value, std::size_t from_end) {
    const auto& all = axes.of(value);
    return all.size() >= from_end ? all[all.size() - from_end] : TokenAxis();
}

// Of [batch, heads, queries, keys], or [heads, queries, keys].
AttentionSite site_of(const Recording& recording, const TokenAxes& axes, const Event& event, ValueId weights) {
    const Shape& shape = recording.value(weights).shape;
    AttentionSite site;
    site.event = event.id;
    site.scope = std::string(event.scope);
    site.keys = shape.back();
    site.queries = shape[shape.size() - 2];
    site.heads = shape[shape.size() - 3];
    site.batches = 1;
    for (std::size_t i = 0; i + 3 < shape.size(); ++i) site.batches *= shape[i];
    site.query_tokens = axis_of(axes, weights, 2);
    site.key_tokens = axis_of(axes, weights, 1);
    return site;
}

AttentionSite fused_site(const Recording& recording, const TokenAxes& axes, const Event& event) {
    const Shape& query = recording.value(event.inputs[0]).shape;
    const Shape& key = recording.value(event.inputs[1]).shape;
    AttentionSite site;
    site.event = event.id;
    site.scope = std::string(event.scope);
    site.is_fused = true;
    site.queries = query[query.size() - 2];
    site.keys = key[key.size() - 2];
    site.heads = query.size() >= 3 ? query[query.size() - 3] : 1;
    site.batches = 1;
    for (std::size_t i = 0; i + 3 < query.size(); ++i) site.batches *= query[i];
    site.query_tokens = axis_of(axes, event.inputs[0], 2);
    site.key_tokens = axis_of(axes, event.inputs[1], 2);
    return site;
}

bool is_last_dim(const Event& event, std::size_t rank) {
    const auto dim = integer_argument(event, "dim");
    return dim && (*dim == -1 || *dim == static_cast<std::int64_t>(rank) - 1);
}

bool is_usable(const Recording& recording, const Event& event, std::size_t inputs, std::size_t rank) {
    if (event.failed || event.inputs.size() < inputs || event.outputs.empty() || event.outputs.front() == 0)
        return false;
    for (std::size_t i = 0; i < inputs; ++i)
        if (event.inputs[i] == 0 || recording.value(event.inputs[i]).shape.size() < rank) return false;
    return true;
}

Tensor on_host_as_float(const Tensor& t) {
    const Tensor wide = fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Float32));
    return wide.device() == Device() ? wide
                                     : fn::to_copy(wide, IValue(), IValue(), Device(), IValue(), false, IValue());
}

// Rows [rows, width] of one head; heads that serve several query heads are repeated.
Tensor head_of(const Tensor& t, std::int64_t batch, std::int64_t head, std::int64_t heads) {
    Tensor all = t;
    while (all.dim() > 4) all = fn::flatten(all, 0, 1);
    if (all.dim() == 4) all = fn::select(all, 0, std::min(batch, all.size(0) - 1));
    if (all.dim() < 3) return all;
    const std::int64_t own = std::max<std::int64_t>(all.size(0), 1);
    return fn::select(all, 0, own == heads ? head : head / std::max<std::int64_t>(heads / own, 1));
}

Tensor causal(std::int64_t queries, std::int64_t keys) {
    const Tensor mask = empty(std::vector<std::int64_t>{queries, keys}, ScalarType::Float32);
    float* to = mask.data<float>();
    for (std::int64_t i = 0; i < queries; ++i)
        for (std::int64_t j = 0; j < keys; ++j) *to++ = j <= i ? 0.0F : -std::numeric_limits<float>::infinity();
    return mask;
}

// In place. A position that sees nothing attends to nothing.
Tensor softmax_of_rows(const Tensor& scores) {
    constexpr float kNever = -std::numeric_limits<float>::infinity();
    const std::int64_t keys = scores.size(1);
    for (std::int64_t i = 0; i < scores.size(0); ++i) {
        const std::span<float> row(scores.data<float>() + i * keys, static_cast<std::size_t>(keys));
        float largest = kNever;
        for (const float score : row) largest = std::isnan(score) ? score : std::max(largest, score);
        double sum = 0;
        for (float& score : row) {
            score = largest == kNever ? 0 : std::exp(score - largest);
            sum += static_cast<double>(score);
        }
        for (float& score : row)
            if (largest != kNever) score = static_cast<float>(static_cast<double>(score) / sum);
    }
    return scores;
}

Tensor fused_weights(const Event& event, const AttentionSite& site, const TensorList& sources, std::int64_t batch,
                     std::int64_t head) {
    const Tensor query = on_host_as_float(head_of(sources[0], batch, head, site.heads));
    const Tensor key = on_host_as_float(head_of(sources[1], batch, head, site.heads));
    if (query.size(-1) != key.size(-1)) throw Error(ErrorKind::Run, "queries and keys are not of one width");
    const double scale = number_argument(event, "scale")
                             .value_or(1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(query.size(-1), 1))));
    Tensor scores = fn::mul_scalar(fn::matmul(query, fn::transpose(key, 0, 1)), Scalar(scale));
    if (written_argument(event, "is_causal") == "True")
        scores = fn::add(scores, causal(site.queries, site.keys), Scalar(1));
    if (sources.size() > 2) {
        const Tensor mask = head_of(sources[2], batch, head, site.heads);
        constexpr double kNever = -std::numeric_limits<double>::infinity();
        scores = mask.dtype() == ScalarType::Bool ? fn::masked_fill(scores, fn::logical_not(mask), Scalar(kNever))
                                                  : fn::add(scores, on_host_as_float(mask), Scalar(1));
    }
    return softmax_of_rows(fn::contiguous(scores, 0));
}

}  // namespace

std::vector<AttentionSite> find_attentions(const Recording& recording, const TokenAxes& axes) {
    std::vector<AttentionSite> out;
    std::unordered_map<ValueId, AttentionSite> open;  // what became of a softmax
    EventId fused_before = 0;
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        const Event& event = recording.event(id);
        if (event.phase != RunPhase::Forward) continue;
        if (is_fused(event) && is_usable(recording, event, 2, 2)) {
            const AttentionSite site = fused_site(recording, axes, event);
            // Where it was opened its own softmax came just before it.
            const bool was_opened = recording.value(event.outputs.front()).producer != id;
            if (was_opened && !out.empty() && out.back().event > fused_before && out.back().scope == site.scope)
                out.pop_back();
            out.push_back(site);
            fused_before = id;
            continue;
        }
        if (is_one_of(event.op, kSoftmax) && is_usable(recording, event, 1, 3) &&
            is_last_dim(event, recording.value(event.inputs[0]).shape.size())) {
            open.try_emplace(event.outputs.front(), site_of(recording, axes, event, event.outputs.front()));
            continue;
        }
        if (event.inputs.empty() || open.empty()) continue;
        const auto found = open.find(event.inputs.front());
        if (found == open.end()) continue;
        if (is_one_of(event.op, kProducts)) {
            out.push_back(found->second);
            const EventId taken = found->second.event;
            std::erase_if(open, [&](const auto& each) { return each.second.event == taken; });
        } else if (is_one_of(event.op, kPassing) && !event.outputs.empty()) {
            const AttentionSite site = found->second;
            open.try_emplace(event.outputs.front(), site);
        }
    }
    return out;
}

std::vector<ValueId> weights_sources(const Recording& recording, const AttentionSite& site) {
    const Event& event = recording.event(site.event);
    if (!site.is_fused) return {event.outputs.front()};
    std::vector<ValueId> out{event.inputs[0], event.inputs[1]};
    if (event.inputs.size() > 3 && event.inputs[3] != 0) out.push_back(event.inputs[3]);
    return out;
}

Tensor attention_weights(const Recording& recording, const AttentionSite& site, const TensorList& sources,
                         std::int64_t batch, std::int64_t head) {
    for (const Tensor& each : sources)
        if (!each.defined()) throw Error(ErrorKind::Run, "the elements of this attention were not kept");
    if (batch < 0 || batch >= site.batches || head < 0 || head >= site.heads)
        throw Error(ErrorKind::Usage,
                    concat("no head ", head, " of batch ", batch, ": ", site.heads, " heads, batch of ", site.batches));
    const Tensor weights = site.is_fused
                               ? fused_weights(recording.event(site.event), site, sources, batch, head)
                               : fn::contiguous(on_host_as_float(head_of(sources.front(), batch, head, site.heads)), 0);
    if (weights.dim() != 2 || weights.size(0) != site.queries || weights.size(1) != site.keys)
        throw Error(ErrorKind::Run, "the recorded values do not have the sizes of this attention");
    return weights;
}

}  // namespace loupe::session
