// SPDX-License-Identifier: Apache-2.0
#include "core/session/training_sample.h"

#include <map>

#include "core/autograd/variable.h"
#include "core/session/compute_statistics.h"

namespace loupe::session {

std::shared_ptr<const TrainingSample> sample_training(const nn::Module& module, const Recording& recording, std::int64_t step) {
    auto sample = std::make_shared<TrainingSample>();
    sample->step = step;
    for (const auto& [name, parameter] : module.named_parameters()) {
        sample->weights.push_back({name, compute_statistics(parameter)});
        if (const Tensor gradient = grad_of(parameter); gradient.defined()) sample->gradients.push_back({name, compute_statistics(gradient)});
    }
    // The last that an operator of its own, or of a module in it, gave.
    std::map<std::string, std::size_t, std::less<>> places;
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        const Event& event = recording.event(id);
        if (event.phase != RunPhase::Forward) break;
        if (event.scope.empty() || event.outputs.empty()) continue;
        const Value& value = recording.value(event.outputs.front());
        if (!value.statistics) continue;
        const auto [place, is_new] = places.try_emplace(std::string(event.scope), sample->activations.size());
        if (is_new) sample->activations.push_back({place->first, *value.statistics});
        else sample->activations[place->second].statistics = *value.statistics;
    }
    return sample;
}

}  // namespace loupe::session
