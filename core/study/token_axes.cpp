// SPDX-License-Identifier: Apache-2.0
#include "core/study/token_axes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <span>
#include <string_view>

#include "core/study/event_arguments.h"

namespace loupe::session {
namespace {

using Axes = TokenAxes::Axes;

// A tensor that an event reads, with what its axes are.
struct Read {
    const Shape* shape = nullptr;
    Axes axes;
};
struct Call {
    const Event& event;
    std::string_view op;  // without namespace
    std::vector<Read> inputs;

    // A dimension argument, counted from the front; rank: of the tensor it is of.
    std::optional<std::size_t> dim(std::string_view name, std::size_t rank,
                                   std::optional<std::int64_t> otherwise = {}) const {
        const auto given = integer_argument(event, name);
        const auto value = given ? given : otherwise;
        if (!value) return std::nullopt;
        const std::int64_t at = *value < 0 ? *value + static_cast<std::int64_t>(rank) : *value;
        if (at < 0 || at >= static_cast<std::int64_t>(rank)) return std::nullopt;
        return static_cast<std::size_t>(at);
    }
};

bool is_token(const TokenAxis& axis) { return axis.sequence >= 0; }
bool has_tokens(const Axes& axes) { return std::ranges::any_of(axes, is_token); }

Axes padded(const Read& read) {
    Axes out = read.axes;
    out.resize(read.shape->size());
    return out;
}

// --- operators by what they do to axes ---

// Same places, aligned at the end, as broadcasting does.
Axes aligned(const Call& call, const Shape& out) {
    Axes axes(out.size());
    for (const Read& read : call.inputs) {
        const std::size_t rank = read.shape->size();
        if (read.axes.empty() || rank > out.size()) continue;
        const std::size_t offset = out.size() - rank;
        const auto fits = [&](std::size_t i) { return (*read.shape)[i] == out[offset + i] || (*read.shape)[i] == 1; };
        bool all = true;
        for (std::size_t i = 0; i < rank; ++i) all = all && fits(i);
        if (!all) continue;
        for (std::size_t i = 0; i < rank; ++i) {
            const bool is_same = (*read.shape)[i] == out[offset + i];
            if (is_same && is_token(read.axes[i]) && !is_token(axes[offset + i])) axes[offset + i] = read.axes[i];
        }
    }
    return axes;
}

// By rows of the first and columns of the second matrix.
Axes of_product(const Read& a, const Read& b, const Shape& out) {
    Axes axes(out.size());
    const Axes left = padded(a), right = padded(b);
    const bool is_row = a.shape->size() < 2, is_column = b.shape->size() < 2;
    if (out.empty() || is_row || is_column) {
        // A vector at either side has no row or column.
        if (is_column && !is_row && left.size() == out.size() + 1) std::copy_n(left.begin(), out.size(), axes.begin());
        return axes;
    }
    axes.back() = right.back();
    if (out.size() < 2) return axes;
    axes[out.size() - 2] = left[left.size() - 2];
    for (const Axes* batch : {&left, &right}) {
        for (std::size_t i = 0; i + 2 < batch->size(); ++i) {
            const std::size_t at = out.size() - batch->size() + i;
            const Shape& shape = batch == &left ? *a.shape : *b.shape;
            if (at < out.size() && is_token((*batch)[i]) && shape[i] == out[at]) axes[at] = (*batch)[i];
        }
    }
    return axes;
}

// An axis stays where as many elements stand before it, and it is as long; or as the inner part of a longer one.
Axes reshaped(const Read& from, const Shape& out) {
    Axes axes(out.size());
    std::int64_t outer = 1;
    for (std::size_t i = 0; i < from.shape->size() && i < from.axes.size(); outer *= (*from.shape)[i++]) {
        const TokenAxis& axis = from.axes[i];
        if (!is_token(axis)) continue;
        const std::int64_t size = axis.period > 0 ? axis.period : (*from.shape)[i];
        const std::int64_t before = outer * ((*from.shape)[i] / std::max<std::int64_t>(size, 1));
        // Of axes of one element several may stand there.
        const auto places = [&](const Shape& shape) {
            std::vector<std::size_t> found;
            std::int64_t product = 1;
            for (std::size_t j = 0; j < shape.size(); product *= shape[j++])
                if (product == before && shape[j] == size) found.push_back(j);
            return found;
        };
        const auto there = places(out);
        const TokenAxis plain{axis.sequence, axis.first, 0};
        if (axis.period > 0 ? there.size() == 1 : !there.empty()) {
            const auto here = places(*from.shape);
            const auto which = static_cast<std::size_t>(std::ranges::find(here, i) - here.begin());
            if (axis.period > 0)
                axes[there.front()] = plain;
            else if (here.size() == there.size())
                axes[there[which]] = plain;
            continue;
        }
        std::int64_t product = 1;
        for (std::size_t j = 0; j < out.size(); product *= out[j++])
            if (size > 0 && out[j] > size && out[j] % size == 0 && product * out[j] == before * size)
                axes[j] = {axis.sequence, axis.first, size};
    }
    return axes;
}

Axes reduced(const Call& call, const Shape& out) {
    const Read& from = call.inputs.front();
    const std::size_t rank = from.shape->size();
    std::vector<std::int64_t> dims = integers_argument(call.event, "dim").value_or(std::vector<std::int64_t>());
    std::set<std::size_t> gone;
    for (const std::int64_t d : dims)
        gone.insert(static_cast<std::size_t>(d < 0 ? d + static_cast<std::int64_t>(rank) : d));
    Axes axes = padded(from);
    if (gone.empty()) return Axes(out.size());
    if (out.size() == rank) {
        for (const std::size_t d : gone)
            if (d < rank) axes[d] = {};
        return axes;
    }
    Axes left;
    for (std::size_t i = 0; i < rank; ++i)
        if (!gone.contains(i)) left.push_back(axes[i]);
    return left.size() == out.size() ? left : Axes(out.size());
}

Axes joined(const Call& call, const Shape& out) {
    Axes axes(out.size());
    const auto dim = call.dim("dim", out.size(), 0);
    if (!dim) return axes;
    bool is_first = true, is_run = true;
    std::int64_t next = 0;
    for (const Read& read : call.inputs) {
        if (read.shape->size() != out.size()) continue;
        const Axes own = padded(read);
        for (std::size_t i = 0; i < own.size(); ++i)
            if (i != *dim && is_token(own[i]) && !is_token(axes[i])) axes[i] = own[i];
        const TokenAxis& along = own[*dim];
        if (is_first)
            axes[*dim] = along;
        else
            is_run = is_run && along.sequence == axes[*dim].sequence && along.first == next && along.period == 0;
        is_first = false;
        next = along.first + (*read.shape)[*dim];
    }
    if (!is_run) axes[*dim] = {};
    return axes;
}

Axes sliced(const Call& call, std::size_t dim, std::int64_t start) {
    Axes axes = padded(call.inputs.front());
    const std::int64_t size = (*call.inputs.front().shape)[dim];
    start = std::clamp<std::int64_t>(start < 0 ? start + size : start, 0, size);
    if (is_token(axes[dim])) axes[dim].first += start;
    if (integer_argument(call.event, "step").value_or(1) != 1 || axes[dim].period > 0) axes[dim] = {};
    return axes;
}

template <std::size_t N>
bool is_one_of(std::string_view op, const std::array<std::string_view, N>& names) {
    return std::ranges::find(names, op) != names.end();
}

constexpr std::array<std::string_view, 11> kReshapes{"view",       "reshape",        "_unsafe_view", "flatten",
                                                     "unflatten",  "_reshape_alias", "view_as",      "reshape_as",
                                                     "contiguous", "clone",          "squeeze"};
constexpr std::array<std::string_view, 19> kReductions{
    "sum",    "mean", "amax", "amin", "max", "min", "argmax",    "argmin",
    "any",    "all",  "norm", "prod", "var", "std", "logsumexp", "linalg_vector_norm",
    "median", "mode", "topk"};
// Places change theirs.
constexpr std::array<std::string_view, 16> kMovers{
    "flip",   "fliplr",  "flipud",   "roll",           "sort", "argsort",    "rot90",        "index",
    "gather", "scatter", "scatter_", "take_along_dim", "take", "take_along", "index_select", "masked_select"};

// Look-ups and products. Nothing: it is another operator; so for the functions below.
std::optional<Axes> axes_of_product(const Call& call, const Shape& out) {
    const Read& first = call.inputs.front();
    const std::string_view op = call.op;
    if (op == "embedding") {
        if (call.inputs.size() < 2 || out.size() != call.inputs[1].shape->size() + 1) return Axes();
        Axes axes = padded(call.inputs[1]);
        axes.emplace_back();
        return axes;
    }
    if (op == "linear" || op.find("scaled_dot_product") != std::string_view::npos) {
        Axes axes = padded(first);
        if (!axes.empty()) axes.back() = {};
        return axes;
    }
    if (op == "matmul" || op == "bmm" || op == "mm" || op == "mv")
        return call.inputs.size() < 2 ? Axes() : of_product(first, call.inputs[1], out);
    if (op == "addmm" || op == "baddbmm")
        return call.inputs.size() < 3 ? Axes() : of_product(call.inputs[1], call.inputs[2], out);
    return std::nullopt;
}

// In another order.
std::optional<Axes> permuted(const Call& call) {
    const Read& first = call.inputs.front();
    const std::size_t rank = first.shape->size();
    const std::string_view op = call.op;
    Axes axes = padded(first);
    if (op == "t" || op == "mT" || op == "numpy_T" || op == "adjoint") {
        if (rank >= 2) std::swap(axes[rank - 1], axes[rank - 2]);
        return op == "numpy_T" && rank != 2 ? Axes() : axes;
    }
    if (op == "transpose" || op == "transpose_" || op == "swapaxes" || op == "swapdims") {
        const bool is_axis = op == "swapaxes";
        const auto a = call.dim(is_axis ? "axis0" : "dim0", rank), b = call.dim(is_axis ? "axis1" : "dim1", rank);
        if (!a || !b) return Axes();
        std::swap(axes[*a], axes[*b]);
        return axes;
    }
    if (op != "permute") return std::nullopt;
    const auto dims = integers_argument(call.event, "dims");
    if (!dims || dims->size() != rank) return Axes();
    Axes moved;
    for (const std::int64_t d : *dims) {
        const auto at = static_cast<std::size_t>(d < 0 ? d + static_cast<std::int64_t>(rank) : d);
        if (at >= rank) return Axes();
        moved.push_back(axes[at]);
    }
    return moved;
}

// One more or one less.
std::optional<Axes> added_or_removed(const Call& call, const Shape& out) {
    const Read& first = call.inputs.front();
    const std::size_t rank = first.shape->size();
    const std::string_view op = call.op;
    Axes axes = padded(first);
    if (op == "unsqueeze" || op == "stack") {
        const auto dim = call.dim("dim", rank + 1, op == "stack" ? std::optional<std::int64_t>(0) : std::nullopt);
        if (!dim || rank + 1 != out.size()) return Axes();
        axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(*dim), TokenAxis());
        return axes;
    }
    if (op != "squeeze" && op != "select" && op != "unbind") return std::nullopt;
    const auto dim = call.dim("dim", rank, op == "unbind" ? std::optional<std::int64_t>(0) : std::nullopt);
    if (!dim || out.size() + 1 != rank) return out.size() == rank ? axes : reshaped(first, out);
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(*dim));
    return axes;
}

// Parts of one, or several in one.
std::optional<Axes> cut_or_joined(const Call& call, const Shape& out) {
    const Read& first = call.inputs.front();
    const std::size_t rank = first.shape->size();
    const std::string_view op = call.op;
    if (op == "slice" || op == "narrow") {
        const auto dim = call.dim("dim", rank, op == "slice" ? std::optional<std::int64_t>(0) : std::nullopt);
        return dim ? sliced(call, *dim, integer_argument(call.event, "start").value_or(0)) : Axes();
    }
    if (op == "split" || op == "chunk" || op == "split_with_sizes" || op == "tensor_split") {
        const auto dim = call.dim("dim", rank, 0);
        if (!dim || out.size() != rank) return Axes();
        Axes axes = padded(first);
        if (out[*dim] != (*first.shape)[*dim]) axes[*dim] = {};
        return axes;
    }
    if (op == "cat" || op == "concat" || op == "concatenate") return joined(call, out);
    return std::nullopt;
}

Axes axes_of(const Call& call, const Shape& out) {
    if (call.inputs.empty()) return {};
    if (const auto axes = axes_of_product(call, out)) return *axes;
    if (const auto axes = permuted(call)) return *axes;
    if (const auto axes = added_or_removed(call, out)) return *axes;
    if (const auto axes = cut_or_joined(call, out)) return *axes;
    if (is_one_of(call.op, kReshapes)) return reshaped(call.inputs.front(), out);
    if (is_one_of(call.op, kReductions)) return reduced(call, out);
    if (is_one_of(call.op, kMovers)) return {};
    return aligned(call, out);
}

std::string_view short_name(std::string_view op) {
    const auto colons = op.find("::");
    return colons == std::string_view::npos ? op : op.substr(colons + 2);
}

const Axes& none() {
    static const Axes kNone;
    return kNone;
}

}  // namespace

TokenAxes::TokenAxes(const Recording& recording, std::map<ValueId, Axes> starts) : recording_(recording) {
    for (auto& [value, axes] : starts)
        if (has_tokens(axes) && axes.size() == recording.value(value).shape.size())
            axes_.emplace(value, std::move(axes));
    if (axes_.empty()) return;
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        const Event& event = recording.event(id);
        if (event.phase == RunPhase::Forward) follow(event);
    }
}

void TokenAxes::follow(const Event& event) {
    Call call{event, short_name(event.op), {}};
    bool is_touched = false;
    for (const ValueId id : event.inputs) {
        if (id == 0) continue;
        const auto found = axes_.find(id);
        call.inputs.push_back({&recording_.value(id).shape, found != axes_.end() ? found->second : Axes()});
        is_touched = is_touched || found != axes_.end();
    }
    if (!is_touched) return;
    for (const ValueId id : event.outputs) {
        if (id == 0 || axes_.contains(id)) continue;
        const Shape& shape = recording_.value(id).shape;
        Axes axes = axes_of(call, shape);
        if (axes.size() == shape.size() && has_tokens(axes)) axes_.emplace(id, std::move(axes));
    }
}

const Axes& TokenAxes::of(ValueId id) const {
    if (id == 0 || id > recording_.value_count()) return none();
    if (const auto found = axes_.find(id); found != axes_.end()) return found->second;
    const Value& value = recording_.value(id);
    const ValueId source = value.gradient_of;
    if (source == 0 || source == id || source > recording_.value_count() ||
        recording_.value(source).shape != value.shape)
        return none();
    const auto found = axes_.find(source);
    return found != axes_.end() ? found->second : none();
}

std::vector<ValueId> token_inputs(const Recording& recording, const std::vector<std::string>& arguments) {
    std::vector<ValueId> out;
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        const Event& event = recording.event(id);
        if (event.phase != RunPhase::Forward || short_name(event.op) != "embedding" || event.inputs.size() < 2)
            continue;
        const ValueId read = event.inputs[1];
        if (read == 0 || std::ranges::find(out, read) != out.end()) continue;
        const Value& value = recording.value(read);
        const bool is_argument = value.producer == 0 && std::ranges::find(arguments, value.name) != arguments.end();
        const bool is_positions = value.name == "position_ids" || value.name == "token_type_ids";
        if (is_argument && !is_positions && !value.shape.empty()) out.push_back(read);
    }
    return out;
}

}  // namespace loupe::session
