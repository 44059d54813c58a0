// SPDX-License-Identifier: Apache-2.0
#pragma once
// The engine's elementwise kernels and reductions on a device: says which of the device's loops is meant by a kernel of
// the engine, and describes the tensors to it.

#include <memory>
#include <unordered_map>
#include <variant>

#include "core/dispatch/registry.h"
#include "core/kernels/device_loops.h"
#include "core/kernels/list_runs.h"
#include "core/ops/nn/loss_operations.h"
#include "core/ops/pointwise/operations.h"
#include "core/ops/reduction/operations.h"
#include "core/ops/special/operations.h"
#include "core/plugin/plugin.h"
#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

class KernelLoops final : public DeviceLoops, public ListLoops {
  public:
    KernelLoops();

    bool elementwise(ElementwiseKernel kernel, const void* params, std::span<const LoopOperand> operands,
                     std::size_t outputs) override;
    bool reduce(const Reduction& reduction, const Tensor& input, std::span<const bool> reduced,
                std::span<const Tensor> outputs, const void* params) override;
    bool copy(const Tensor& to, const Tensor& from) override;
    bool fill(const Tensor& to, const Scalar& value) override;
    bool apply_taps(const Tensor& to, const Tensor& from, std::span<const DimTaps> dims) override;
    bool run_lists(const ListCall& call) override;
    std::unique_ptr<LateTotals> add_up(const Tensor& t) override;

  private:
    struct LossSlope {
        LossOp op;
    };
    using Operation =
        std::variant<UnaryOp, TestOp, ActivationOp, BinaryOp, CompareOp, TernaryOp, LossOp, LossSlope, ComplexPartOp,
                     SpecialOp, SpecialPairOp, SpecialTripleOp, PolynomialOp, int>;  // int: where
    struct Meaning {
        Operation operation;
        Element as;
    };

    bool run(const Meaning& meaning, const void* params, const LoopShape& loop, const Queue& queue) const;
    bool describe(std::span<const LoopOperand> operands, LoopShape& loop) const;
    void locate(const Tensor& t, Operand& operand) const;

    std::unordered_map<ElementwiseKernel, Meaning> kernels_;
    std::unordered_map<const Reduction*, std::pair<ReduceOp, Element>> reductions_;
};

// Registers the operators whose kernels are made of these loops for a type of device.
void register_loops(const PluginRegistries& registries, DeviceType type, const char* backend);

}  // namespace loupe::cuda
