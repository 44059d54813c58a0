// SPDX-License-Identifier: Apache-2.0
#pragma once
// Records the loops of a group of pointwise operators in its first run.

#include <unordered_map>

#include "core/autograd/observer.h"
#include "core/dispatch/interceptor.h"
#include "core/kernels/loop_recorder.h"
#include "core/runtime/fuse/fused_expression.h"

namespace loupe::runtime {

// An operator that ran: its metadata follow from its arguments' by the record's `infer`.
struct RecordedCall {
    const Operator* op = nullptr;
    std::vector<IValue> arguments;      // None for tensors
    std::vector<std::int64_t> values;   // the argument's value; -1 when it is no tensor
    std::vector<std::int64_t> results;  // values; -1 when not requested
};

class FusionRecorder final : public DispatchInterceptor, public LoopRecorder, public ExecutionObserver {
  public:
    // is_dry: loops are recorded, but do not run: tensors then have sizes and memory, but no elements.
    explicit FusionRecorder(bool is_dry = false) : is_dry_(is_dry) {}

    // A tensor that the group reads; its value's number is how many were added before.
    void add_input(const Tensor& tensor);

    bool run(const Operator& op, std::span<const IValue> arguments, IValue* results) override;
    void on_loop(ElementwiseKernel kernel, const void* params, std::span<const LoopOperand> operands,
                 std::size_t outputs) override;
    void on_rows(const RowLoop& loop, std::span<const LoopOperand> operands, std::size_t outputs) override;
    void on_copy(const Tensor& to, const Tensor& from) override;
    bool is_dry() const override { return is_dry_; }
    void before_operator(const OperatorCall& call) override { site_ = call.site; }

    const FusedExpression& expression() const { return expression_; }
    const std::vector<RecordedCall>& calls() const { return calls_; }
    // By step: the node whose operator runs it. Null when the run is not observed.
    const std::vector<const ir::Node*>& sites() const { return sites_; }
    // Sizes of each value.
    const std::vector<Dims>& sizes() const { return sizes_; }
    // -1 for a tensor that is none of them.
    std::int64_t value_of(const TensorImpl* tensor) const;
    // Why it cannot be fused; empty when it can.
    const std::string& reason() const { return reason_; }

  private:
    void decline(std::string reason);
    // False, and declined, for a tensor that no loop of the group made.
    bool read(const LoopOperand& operand, FusedStep& step);
    void add_step(FusedStep step, const TensorImpl& result);

    bool is_dry_;
    FusedExpression expression_;
    std::vector<RecordedCall> calls_;
    std::vector<const ir::Node*> sites_;
    const ir::Node* site_ = nullptr;  // that runs
    std::vector<Dims> sizes_;
    std::unordered_map<const TensorImpl*, std::uint32_t> values_;
    std::vector<Tensor> kept_;         // kept alive, so that addresses are unique
    std::vector<std::uint32_t> read_;  // by the loops of the operator that runs
    std::string reason_;
};

}  // namespace loupe::runtime
