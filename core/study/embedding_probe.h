// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a model looks up for tokens: gradients go to it, and other numbers may take its place.

#include <cstdint>
#include <vector>

#include "core/autograd/observer.h"
#include "core/tensor/tensor.h"

namespace loupe::session {

// Finds the first look-up of the ids and keeps its result, with where gradients of it go.
class EmbeddingProbe final : public ExecutionObserver {
  public:
    // replacement: of as many elements as are looked up, in place of them; undefined: they stay.
    explicit EmbeddingProbe(const std::vector<std::int64_t>& ids, Tensor replacement = {})
        : ids_(ids), replacement_(std::move(replacement)) {}

    bool waits() const { return !looked_up_.defined(); }
    bool has_met() const { return is_met_; }

    void before_operator(const OperatorCall& call) override;
    void after_operator(const OperatorCall& call) override;

    const Tensor& looked_up() const { return looked_up_; }
    // Its elements, as the model goes on with them.
    const Tensor& value() const { return value_; }
    // [tokens, width]: what they were looked up in.
    const Tensor& table() const { return table_; }

  private:
    bool is_look_up(const OperatorCall& call) const;

    const std::vector<std::int64_t>& ids_;
    Tensor replacement_;
    bool is_met_ = false;
    Tensor looked_up_, value_, table_;
};

}  // namespace loupe::session
