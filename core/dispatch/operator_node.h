// SPDX-License-Identifier: Apache-2.0
#pragma once
// The autograd node of a recorded operator call: what it saved, and how its derivative is run.

#include <boost/container/small_vector.hpp>

#include "core/autograd/variable.h"
#include "core/dispatch/registry.h"

namespace loupe {

class OperatorNode final : public Node {
  public:
    // Before the call: takes the arguments' metadata, edges and saves.
    OperatorNode(const Operator& op, std::span<const IValue> arguments);
    // After it: takes the results to save. Histories must be set by then.
    void save_results(std::span<const IValue> results);

    std::string name() const override { return op_.node_name; }
    TensorList apply(TensorList grads) override;
    void release_saved() override;
    std::size_t saved_bytes() const override;
    bool follows_device() const override { return true; }
    const Operator& op() const { return op_; }
    // What it keeps, to look at.
    TensorList saved_tensors() const;
    // Does its derivative read a tensor that has a history itself? Where not, the operator is linear in what has one,
    // but for choices of integers (the places of a maximum).
    bool reads_history() const;

  private:
    friend class GradientContext;

    struct TensorArgument {
        std::int8_t index = 0;
        bool defined = false;
        std::uint32_t edge = 0;
        ScalarType dtype = ScalarType::Float32;
        Dims sizes;
        Dims strides;
        std::int64_t offset = 0;
    };
    struct ListArgument {
        std::int8_t index = 0;
        std::uint32_t edge = 0;
        std::vector<GradientShape> elements;
    };
    struct Saved {
        SavedPlace rule;
        SavedTensor tensor;
        std::vector<SavedTensor> list;
    };

    bool needs_argument(std::size_t index) const;
    const TensorArgument& tensor_argument(std::size_t index) const;
    const ListArgument& list_argument(std::size_t index) const;
    const Saved& saved(std::size_t index, bool is_result) const;
    void save_argument(const SavedPlace& rule, const IValue& value);

    const Operator& op_;
    boost::container::small_vector<IValue, 8> values_;  // the non-tensor arguments, in place
    boost::container::small_vector<TensorArgument, 3> tensors_;
    std::vector<ListArgument> lists_;
    boost::container::small_vector<Saved, 3> saved_;
    bool released_ = false;
};

}  // namespace loupe
