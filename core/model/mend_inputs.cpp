// SPDX-License-Identifier: Apache-2.0
#include "core/model/mend_inputs.h"

#include <algorithm>
#include <deque>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/python/guess/input_mends.h"

namespace loupe::session {
namespace {

using Inputs = std::vector<InputSpec>;

// More are seldom needed; an attempt computes no elements.
constexpr std::size_t kMostAttempts = 40;

bool may_change(const InputSpec& spec) { return !spec.literal && spec.elements.empty() && spec.file.empty(); }

bool edit(const python::Mend& mend, InputSpec& spec) {
    const auto dtype = dtype_from_name(spec.dtype);
    if (!may_change(spec) || !dtype) return false;
    InputGuess guess;
    guess.shape.assign(spec.shape.begin(), spec.shape.end());
    guess.dtype = *dtype;
    guess.high = spec.high;
    if (!mend.edit(guess)) return false;
    spec.shape.assign(guess.shape.begin(), guess.shape.end());
    spec.dtype = std::string(dtype_name(guess.dtype));
    spec.high = guess.high;
    if (is_integral(guess.dtype)) spec.source = InputSpec::Source::Random;
    return true;
}

// The inputs after a change: of the first that it fits, or of all.
bool apply(const python::Mend& mend, Inputs& inputs) {
    bool changed = false;
    for (InputSpec& spec : inputs) {
        changed = edit(mend, spec) || changed;
        if (changed && !mend.everywhere) break;
    }
    return changed;
}

std::string key_of(const Inputs& inputs) {
    std::string key;
    for (const InputSpec& spec : inputs) key += concat(input_spec_text(spec), ";");
    return key;
}

}  // namespace

Inputs mend_inputs(const Inputs& guess, const std::function<void(const Inputs&)>& attempt) {
    std::deque<Inputs> waiting{guess};
    std::vector<std::string> seen{key_of(guess)};
    for (std::size_t attempts = 0; !waiting.empty() && attempts < kMostAttempts; ++attempts) {
        const Inputs inputs = std::move(waiting.front());
        waiting.pop_front();
        std::vector<python::Mend> mends;
        try {
            attempt(inputs);
            return inputs;
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) return guess;
            mends = python::mends_for(concat("RuntimeError: ", error.message()));
        }
        // Not of its shapes: further than this a run on no elements does not come.
        if (mends.empty()) return inputs;
        for (const python::Mend& mend : mends) {
            Inputs changed = inputs;
            if (!apply(mend, changed)) continue;
            std::string key = key_of(changed);
            if (std::find(seen.begin(), seen.end(), key) != seen.end()) continue;
            seen.push_back(std::move(key));
            waiting.push_back(std::move(changed));
        }
    }
    return guess;
}

}  // namespace loupe::session
