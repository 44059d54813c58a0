// SPDX-License-Identifier: Apache-2.0
#pragma once
// A recorded event computed again, as a function of chosen tensors that it read: what its results' elements are made
// of follows from its derivative. Nothing of it is observed, and nothing of the run changes.

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/study/recorded_call.h"

namespace loupe::session {

// Tensors of the event: leaves require a gradient.
struct FunctionSource {
    TensorPlace place;
    Tensor leaf;
};

class EventFunction {
  public:
    // Where a source's elements are replaced before the event is computed.
    enum class Elements {
        AsTheyAre,
        Bounded,  // +-1e30 for Inf, 7e29 for NaN: a coefficient that is one of them came from it
        None,     // nothing is computed: how it is made is all that is asked for
        Ones,     // of sources 0.5: coefficients that are not 0 are of elements that are read
    };

    // Of a normalisation (explained_forms.h): part of the function, or the number that it was.
    enum class Scale { Followed, Held };

    const std::vector<FunctionSource>& sources() const { return sources_; }
    // In the order of the event's outputs.
    const TensorList& outputs() const { return outputs_; }
    // Structurally: the derivative reads nothing that depends on the sources.
    bool is_linear() const { return is_linear_; }
    // What is held of it ("1 / std"), empty: nothing.
    std::string_view held() const { return held_; }
    // One for each source, undefined where the output does not depend on it. recorded: they have a history themselves.
    TensorList pull(std::size_t output, const Tensor& gradient, bool recorded = false) const;
    TensorList pull_all(const TensorList& gradients) const;
    // How the outputs change when the sources do so: of forward-mode derivatives, by two reverse ones. tangents: one
    // for each source, undefined for none. Throws Error where an operator has no second derivative.
    TensorList push(const TensorList& tangents) const;

  private:
    friend EventFunction forward_function(const RecordedCall& call, const std::vector<bool>& is_source, Elements how,
                                          Scale scale);
    friend EventFunction backward_function(const Recording& recording, const Event& event, const ElementsOf& elements);

    std::vector<FunctionSource> sources_;
    TensorList outputs_;
    bool is_linear_ = false;
    std::string_view held_;
};

// is_source: by place of the call. Integers among them are computed with as float64. With a scale held the first
// result is the only output. Throws what the operator throws.
EventFunction forward_function(const RecordedCall& call, const std::vector<bool>& is_source,
                               EventFunction::Elements how = EventFunction::Elements::AsTheyAre,
                               EventFunction::Scale scale = EventFunction::Scale::Followed);
// The call with its sources multiplied.
RecordedCall scaled_call(const RecordedCall& call, const std::vector<bool>& is_source, double factor);
// Of a backward event, as a function of the gradients that came in, in which it is linear. Throws Error (Unsupported)
// where its forward event does not tell what it is.
EventFunction backward_function(const Recording& recording, const Event& event, const ElementsOf& elements);

// What is in the model's parameters and buffers, in its inputs, or neither.
class ValueKinds {
  public:
    explicit ValueKinds(const Recording& recording);
    // On a parameter's or buffer's memory.
    bool is_of_model(ValueId id) const;
    // "input", "weight", "buffer", "constant", "gradient".
    std::string name(ValueId id) const;

  private:
    const Recording& recording_;
    std::unordered_map<std::uint64_t, Category> kinds_;  // by storage
};

// Which places of the call its results are explained by: those in which it is jointly linear (a normalisation with its
// scale held), activations before parameters; where it is linear in none, the activations, by derivative. Remembers
// what it found for calls alike.
class SourceChoice {
  public:
    explicit SourceChoice(const ValueKinds& kinds) : kinds_(kinds) {}
    struct Choice {
        std::vector<bool> is_source;
        bool is_linear = false;
    };
    // Empty choice: no place has a derivative.
    const Choice& of(const Event& event, const RecordedCall& call);

  private:
    Choice choose(const RecordedCall& call) const;

    const ValueKinds& kinds_;
    std::unordered_map<std::string, Choice> known_;
};

}  // namespace loupe::session
