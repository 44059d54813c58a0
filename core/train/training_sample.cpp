// SPDX-License-Identifier: Apache-2.0
#include "core/train/training_sample.h"

#include <algorithm>
#include <map>

#include "core/autograd/variable.h"
#include "core/dispatch/registry.h"
#include "core/record/compute_statistics.h"
#include "core/record/value_store.h"
#include "core/tensor/copy_elements.h"

namespace loupe::session {
namespace {

bool is_rectifier(const Event& event) {
    const Operator* op = find_operator(event.op, event.overload);
    return op != nullptr && op->record->is_rectifier;
}

// Channels come second, but behind linear layers of sequences.
std::int64_t unit_dimension(const Recording& recording, const Event& event, const Tensor& t) {
    if (t.dim() != 3) return 1;
    const EventId producer = event.inputs.empty() ? 0 : recording.value(event.inputs.front()).producer;
    const std::string_view from = producer == 0 ? std::string_view() : recording.event(producer).op;
    const bool has_channels =
        from.find("conv") != std::string_view::npos || from.find("norm") != std::string_view::npos;
    return has_channels && from.find("layer_norm") == std::string_view::npos ? 1 : 2;
}

template <typename T>
std::vector<bool> zero_units(const Tensor& given, std::int64_t unit) {
    const Tensor t = given.is_contiguous() ? given : copy_elements(given);
    std::int64_t outer = 1, inner = 1;
    for (std::int64_t d = 0; d < t.dim(); ++d) (d < unit ? outer : inner) *= d == unit ? 1 : t.size(d);
    const std::int64_t count = t.size(unit);
    std::vector<bool> out(static_cast<std::size_t>(count));
    for (std::int64_t c = 0; c < count; ++c) {
        bool is_zero = true;
        for (std::int64_t o = 0; o < outer && is_zero; ++o) {
            const T* row = t.data<T>() + (o * count + c) * inner;
            is_zero = std::all_of(row, row + inner, [](T x) { return static_cast<float>(x) == 0; });
        }
        out[static_cast<std::size_t>(c)] = is_zero;
    }
    return out;
}

void add_units(std::vector<UnitActivity>& units, const Recorder& recorder, const Event& event) {
    const Recording& recording = *recorder.recording();
    const Value& value = recording.value(event.outputs.front());
    if (!is_rectifier(event) || !value.statistics || !value.statistics->finite || value.statistics->finite->min < 0)
        return;
    const Tensor t = recorder.values().find(event.outputs.front());
    if (!t.defined() || t.dim() < 2 || t.numel() == 0) return;
    const std::int64_t unit = unit_dimension(recording, event, t);
    if (t.size(unit) < 2) return;
    std::vector<bool> is_zero;
    if (t.dtype() == ScalarType::Float32)
        is_zero = zero_units<float>(t, unit);
    else if (t.dtype() == ScalarType::Float64)
        is_zero = zero_units<double>(t, unit);
    else if (t.dtype() == ScalarType::BFloat16)
        is_zero = zero_units<BFloat16>(t, unit);
    else
        return;
    units.push_back({std::string(event.scope), std::move(is_zero)});
}

}  // namespace

std::shared_ptr<const TrainingSample> sample_training(const nn::Module& module, const Recorder& recorder,
                                                      std::int64_t step) {
    const Recording& recording = *recorder.recording();
    auto sample = std::make_shared<TrainingSample>();
    sample->step = step;
    for (const auto& [name, parameter] : module.named_parameters()) {
        sample->weights.push_back({name, compute_statistics(parameter)});
        if (const Tensor gradient = grad_of(parameter); gradient.defined())
            sample->gradients.push_back({name, compute_statistics(gradient)});
    }
    // The last that an operator of its own, or of a module in it, gave.
    std::map<std::string, std::size_t, std::less<>> places;
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        const Event& event = recording.event(id);
        if (event.phase != RunPhase::Forward) break;
        if (event.scope.empty() || event.outputs.empty()) continue;
        const Value& value = recording.value(event.outputs.front());
        if (!value.statistics) continue;
        add_units(sample->units, recorder, event);
        const auto [place, is_new] = places.try_emplace(std::string(event.scope), sample->activations.size());
        if (is_new)
            sample->activations.push_back({place->first, *value.statistics});
        else
            sample->activations[place->second].statistics = *value.statistics;
    }
    return sample;
}

}  // namespace loupe::session
