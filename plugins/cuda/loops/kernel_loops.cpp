// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/kernel_loops.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <new>
#include <utility>

#include "core/ops/nn/loss_kernels.h"
#include "core/ops/pointwise/kernels.h"
#include "core/ops/reduction/kernels.h"
#include "core/ops/special/kernels.h"
#include "core/tensor/device_copy.h"
#include "plugins/cuda/loops/complex.h"
#include "plugins/cuda/loops/host.h"
#include "plugins/cuda/loops/loops.h"
#include "plugins/cuda/loops/statistics.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/lists.h"
#include "plugins/cuda/operators/taps.h"

namespace loupe::cuda {
namespace {

// Kernels of these families that walk over memory by themselves.
constexpr std::string_view kOwnWalks[] = {"aten::cumsum",          "aten::cumprod",      "aten::cummax",
                                          "aten::cummin",          "aten::logcumsumexp", "aten::linalg_vector_norm",
                                          "loupe::gelu_with_slope"};

constexpr ScalarType kComputeTypes[] = {ScalarType::Int64, ScalarType::Float32,   ScalarType::Float64,
                                        ScalarType::Bool,  ScalarType::Complex64, ScalarType::Complex128};

// Kernels include nothing of the engine and number dtypes again: as it does.
static_assert(static_cast<int>(Element::Int64) == static_cast<int>(ScalarType::Int64) &&
              static_cast<int>(Element::Float16) == static_cast<int>(ScalarType::Float16) &&
              static_cast<int>(Element::Float64) == static_cast<int>(ScalarType::Float64) &&
              static_cast<int>(Element::Complex64) == static_cast<int>(ScalarType::Complex64) &&
              static_cast<int>(Element::Complex128) == static_cast<int>(ScalarType::Complex128) &&
              static_cast<int>(Element::Bool) == static_cast<int>(ScalarType::Bool) &&
              static_cast<int>(Element::BFloat16) == static_cast<int>(ScalarType::BFloat16) &&
              static_cast<int>(Element::UInt16) == static_cast<int>(ScalarType::UInt16) &&
              static_cast<int>(Element::UInt64) == static_cast<int>(ScalarType::UInt64));

// Scalars that an operation's kernel reads from its parameters.
std::size_t parameters_of(UnaryOp op) {
    if (op == UnaryOp::NanToNum) return 3;
    if (op == UnaryOp::Logit) return 2;
    return op == UnaryOp::Polygamma ? 1 : 0;
}
std::size_t parameters_of(ActivationOp) { return kMaxNumbers; }
std::size_t parameters_of(BinaryOp op) { return op == BinaryOp::AddScaled || op == BinaryOp::SubScaled ? 1 : 0; }
std::size_t parameters_of(TernaryOp op) { return op == TernaryOp::Addcmul || op == TernaryOp::Addcdiv ? 1 : 0; }

Numbers numbers_of(const void* params, std::size_t count) {
    Numbers numbers;
    const auto* const given = static_cast<const Scalar*>(params);
    for (std::size_t i = 0; given != nullptr && i < count; ++i) {
        if (given[i].is_complex()) {
            numbers.real[i] = given[i].to_complex().real();
            numbers.imag[i] = given[i].to_complex().imag();
            continue;
        }
        numbers.real[i] = given[i].to<double>();
        numbers.whole[i] = given[i].is_integral() ? given[i].to<std::int64_t>() : 0;
    }
    return numbers;
}

Numbers doubles_of(const void* params, int count) {
    Numbers numbers;
    std::copy_n(static_cast<const double*>(params), count, numbers.real);
    return numbers;
}

class TotalsInRoom final : public LateTotals {
  public:
    TotalsInRoom(const Queue& queue, std::shared_ptr<void> room, ElementTotals* totals)
        : queue_(queue), room_(std::move(room)), totals_(totals) {}
    // A room that is still to be written is used no more: waiting here would hold up a run that was ended.
    ~TotalsInRoom() override {
        if (!is_there()) static_cast<void>(new std::shared_ptr<void>(std::move(room_)));
    }
    // The count is written last.
    bool is_there() const override { return std::atomic_ref(totals_->count).load(std::memory_order_acquire) != 0; }
    ElementTotals get() override {
        if (!is_there()) wait_for(queue_);
        return *totals_;
    }

  private:
    Queue queue_;
    std::shared_ptr<void> room_;
    ElementTotals* totals_;
};

void set_number(Operand& operand, const Scalar& value) {
    operand.data = nullptr;
    if (value.is_complex()) {
        operand.real = value.to_complex().real();
        operand.imag = value.to_complex().imag();
        return;
    }
    operand.real = value.to<double>();
    operand.whole = value.is_integral() ? value.to<std::int64_t>() : 0;
}

// A number of type `as`.
bool set_number(Operand& operand, const void* number, ScalarType as) {
    if (as == ScalarType::Complex32) return false;
    operand.data = nullptr;
    operand.element = element_of(as);
    if (is_complex(as)) {
        const auto z = load<Complex<double>>(number, operand.element);
        operand.real = z.re;
        operand.imag = z.im;
    } else if (is_integral(as)) {
        operand.whole = load<std::int64_t>(number, operand.element);
        operand.real = static_cast<double>(operand.whole);
    } else {
        operand.real = load<double>(number, operand.element);
    }
    return true;
}

// Do loops take elements of the dtype?
bool is_element(ScalarType dtype) {
    return is_known(dtype) || is_complex_element(dtype) || has_dtype(kUnsignedDtypes, dtype);
}
// Elements of uint64 pass through int64, and so not to what is no whole number.
bool passes(ScalarType from, ScalarType to) {
    const bool is_wide = from == ScalarType::UInt64 || to == ScalarType::UInt64;
    return is_element(from) && is_element(to) && (!is_wide || (is_integral(from) && is_integral(to)));
}

// As faults name them.
const char* name_of(BinaryOp op) {
    switch (op) {
        case BinaryOp::DivFloor:
            return "aten::floor_divide";
        case BinaryOp::DivTrunc:
            return "aten::div, rounding_mode='trunc'";
        case BinaryOp::Fmod:
            return "aten::fmod";
        default:
            return "aten::remainder";
    }
}

// Joins dimensions that every operand walks as one, drops those of size 1.
void join_dims(LoopShape& loop) {
    int last = -1;
    for (int d = 0; d < loop.dims; ++d) {
        if (loop.sizes[d] == 1) continue;
        bool joins = last >= 0;
        for (int o = 0; joins && o < loop.operands; ++o) {
            const Operand& operand = loop.operand[o];
            joins = operand.strides[last] == operand.strides[d] * loop.sizes[d];
        }
        if (!joins) ++last;
        loop.sizes[last] = joins ? loop.sizes[last] * loop.sizes[d] : loop.sizes[d];
        for (int o = 0; o < loop.operands; ++o) loop.operand[o].strides[last] = loop.operand[o].strides[d];
    }
    loop.dims = last + 1;
    if (loop.dims == 0) {
        loop.dims = 1;
        loop.sizes[0] = 1;
        for (int o = 0; o < loop.operands; ++o) loop.operand[o].strides[0] = 0;
    }
}

}  // namespace

KernelLoops::KernelLoops() {
    const auto add = [&](Operation operation, ScalarType as, ElementwiseKernel kernel) {
        if (kernel != nullptr) kernels_.emplace(kernel, Meaning{operation, element_of(as)});
    };
    for (const ScalarType as : kComputeTypes) {
        const auto each = [&]<typename Op>(Op last, ElementwiseKernel (*find)(Op, ScalarType)) {
            for (int op = 0; op <= static_cast<int>(last); ++op)
                add(static_cast<Op>(op), as, find(static_cast<Op>(op), as));
        };
        each(CompareOp::LogicalXor, compare_kernel);
        each(TestOp::LogicalNot, test_kernel);
        if (as == ScalarType::Bool) continue;
        for (int op = 0; op <= static_cast<int>(LossOp::SoftMargin); ++op) {
            add(static_cast<LossOp>(op), as, nn_ops::loss_kernel(static_cast<LossOp>(op), as));
            add(LossSlope{static_cast<LossOp>(op)}, as, nn_ops::loss_slope_kernel(static_cast<LossOp>(op), as));
        }
        each(UnaryOp::Polygamma, unary_kernel);
        each(ActivationOp::TanhBackward, activation_kernel);
        each(BinaryOp::Heaviside, binary_kernel);
        each(TernaryOp::Clamp, ternary_kernel);
        each(SpecialOp::Entropy, special_kernel);
        each(SpecialPairOp::Zeta, special_pair_kernel);
        each(SpecialTripleOp::BetaSlope, special_triple_kernel);
        each(PolynomialOp::LegendreP, polynomial_kernel);
        if (is_complex(as)) each(ComplexPartOp::Angle, complex_part_kernel);
    }
    for (const ScalarType dtype :
         {ScalarType::UInt8, ScalarType::Int16, ScalarType::Int32, ScalarType::Int64, ScalarType::Complex128}) {
        add(static_cast<int>(element_size(dtype)), dtype, where_kernel(dtype));
    }
    for (const ScalarType as : {ScalarType::Int64, ScalarType::Float32, ScalarType::Float64, ScalarType::Bool,
                                ScalarType::UInt8, ScalarType::Complex64, ScalarType::Complex128}) {
        for (int op = 0; op <= static_cast<int>(ReduceOp::Std); ++op) {
            const auto which = static_cast<ReduceOp>(op);
            if (const Reduction* const reduction = reduction_kernel(which, as))
                reductions_.emplace(reduction,
                                    std::pair(which, as == ScalarType::UInt8 ? Element::Int64 : element_of(as)));
        }
    }
    for (const ScalarType as : {ScalarType::Int64, ScalarType::Float64})
        reductions_.emplace(hash_kernel(as), std::pair(ReduceOp::ExclusiveOr, element_of(as)));
}

void KernelLoops::locate(const Tensor& t, Operand& operand) const {
    operand.data = static_cast<char*>(address_of(t));
    operand.element = element_of(t.dtype());
}

// Operands of one shape, the first's; inputs broadcast.
bool KernelLoops::describe(std::span<const LoopOperand> operands, LoopShape& loop) const {
    const TensorImpl& first = *operands[0].tensor;
    if (first.sizes.size() > kMaxDims || operands.size() > kMaxOperands) return false;
    loop.count = first.numel;
    loop.operands = static_cast<int>(operands.size());
    // In the order of the first output's strides, so that neighbours write neighbours.
    std::array<std::size_t, kMaxDims> order;
    loop.dims = static_cast<int>(first.sizes.size());
    for (std::size_t d = 0; d < first.sizes.size(); ++d) order[d] = d;
    std::stable_sort(order.begin(), order.begin() + loop.dims,
                     [&](std::size_t a, std::size_t b) { return first.strides[a] > first.strides[b]; });
    for (int d = 0; d < loop.dims; ++d) loop.sizes[d] = first.sizes[order[static_cast<std::size_t>(d)]];
    for (std::size_t o = 0; o < operands.size(); ++o) {
        Operand& operand = loop.operand[o];
        const LoopOperand& given = operands[o];
        if (given.tensor == nullptr) {
            if (!set_number(operand, given.number, given.as)) return false;
            continue;
        }
        const Tensor t(Ptr<TensorImpl>(const_cast<TensorImpl*>(given.tensor)));
        if (t.device().is_cpu()) {
            // A number beside the device's tensors.
            if (!is_element(t.dtype())) return false;
            operand.element = element_of(t.dtype());
            set_number(operand, item(t));
            continue;
        }
        locate(t, operand);
        const std::size_t lead = first.sizes.size() - given.tensor->sizes.size();
        for (int d = 0; d < loop.dims; ++d) {
            const std::size_t at = order[static_cast<std::size_t>(d)];
            const bool is_walked = at >= lead && given.tensor->sizes[at - lead] != 1;
            operand.strides[d] = is_walked ? given.tensor->strides[at - lead] * t.element_size() : 0;
        }
    }
    join_dims(loop);
    loop.is_plain = loop.dims == 1;
    for (int o = 0; o < loop.operands; ++o) {
        const Operand& operand = loop.operand[o];
        if (operand.data != nullptr && operand.strides[0] != size_of(operand.element)) loop.is_plain = false;
    }
    return true;
}

bool KernelLoops::run(const Meaning& meaning, const void* params, const LoopShape& loop, const Queue& queue) const {
    const Element as = meaning.as;
    const bool complex = is_complex(as);
    const auto of = [&]<typename Op>(Op op) {
        if constexpr (std::is_same_v<Op, UnaryOp>) {
            if (complex) return run_complex_unary(op, as, queue, loop);
            const Numbers numbers = numbers_of(params, parameters_of(op));
            return run_unary(op, as, queue, loop, numbers) || run_slow_unary(op, as, queue, loop, numbers);
        } else if constexpr (std::is_same_v<Op, TestOp>) {
            return complex ? run_complex_test(op, queue, loop) : run_test(op, as, queue, loop);
        } else if constexpr (std::is_same_v<Op, ActivationOp>) {
            return run_activation(op, as, queue, loop, numbers_of(params, parameters_of(op)));
        } else if constexpr (std::is_same_v<Op, BinaryOp>) {
            const Numbers numbers = numbers_of(params, parameters_of(op));
            if (complex) return run_complex_binary(op, as, queue, loop, numbers);
            if (as != Element::Int64 || op < BinaryOp::DivFloor || op > BinaryOp::Remainder)
                return run_binary(op, as, queue, loop, numbers);
            run_whole_division(op, queue, loop, fault_for(queue, name_of(op)));
            return check_faults(queue), true;
        } else if constexpr (std::is_same_v<Op, CompareOp>) {
            return complex ? run_complex_compare(op, queue, loop) : run_compare(op, as, queue, loop);
        } else if constexpr (std::is_same_v<Op, TernaryOp>) {
            const Numbers numbers = numbers_of(params, parameters_of(op));
            return complex ? run_complex_ternary(op, as, queue, loop, numbers)
                           : run_ternary(op, as, queue, loop, numbers);
        } else if constexpr (std::is_same_v<Op, ComplexPartOp>) {
            return run_complex_part(op, as, queue, loop);
        } else if constexpr (std::is_same_v<Op, SpecialOp>) {
            return run_special(op, as, queue, loop);
        } else if constexpr (std::is_same_v<Op, SpecialPairOp>) {
            return run_special_pair(op, as, queue, loop);
        } else if constexpr (std::is_same_v<Op, SpecialTripleOp>) {
            return run_special_triple(op, as, queue, loop);
        } else if constexpr (std::is_same_v<Op, PolynomialOp>) {
            return run_polynomial(op, as, queue, loop);
        } else if constexpr (std::is_same_v<Op, LossOp>) {
            return run_loss(op, as, queue, loop, doubles_of(params, 1));
        } else if constexpr (std::is_same_v<Op, LossSlope>) {
            return run_loss_slope(op.op, as, queue, loop, doubles_of(params, 2));
        } else {
            return run_where(op, queue, loop), true;
        }
    };
    return std::visit(of, meaning.operation);
}

bool KernelLoops::elementwise(ElementwiseKernel kernel, const void* params, std::span<const LoopOperand> operands,
                              std::size_t outputs) {
    const auto found = kernels_.find(kernel);
    if (found == kernels_.end() || outputs != 1) return false;
    const Meaning& meaning = found->second;
    const bool by_bits = std::holds_alternative<int>(meaning.operation);
    for (const LoopOperand& operand : operands) {
        const bool as_it_is =
            by_bits && operand.tensor != nullptr && operand.tensor->dtype == operands[0].tensor->dtype;
        const ScalarType dtype = operand.tensor != nullptr ? operand.tensor->dtype : operand.as;
        const bool is_complex_part = is_complex_element(dtype) && !by_bits && !is_complex(meaning.as);
        if (!as_it_is && (is_complex_part || !passes(dtype, by_bits ? dtype : static_cast<ScalarType>(meaning.as))))
            return false;
    }
    LoopShape loop;
    if (!describe(operands, loop)) return false;
    return run(meaning, params, loop, queue_of(operands[0].tensor->storage->device()));
}

bool KernelLoops::reduce(const Reduction& reduction, const Tensor& input, std::span<const bool> reduced,
                         std::span<const Tensor> outputs, const void* params) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (!is_element(reduction.output_as[i])) return false;
    }
    const auto found = reductions_.find(&reduction);
    if (found == reductions_.end() || input.dim() > kMaxDims || !is_element(input.dtype()) || outputs.size() > 2)
        return false;
    // Results may be wanted elsewhere, or in another order.
    const bool fit = std::ranges::all_of(outputs, [&](const Tensor& out) {
        return out.device() == input.device() && out.is_contiguous() && is_element(out.dtype());
    });
    if (!fit) {
        std::array<Tensor, 2> targets;
        for (std::size_t i = 0; i < outputs.size(); ++i)
            targets[i] = empty(outputs[i].sizes(), reduction.output_as[i], input.device());
        if (!reduce(reduction, input, reduced, {targets.data(), outputs.size()}, params)) return false;
        for (std::size_t i = 0; i < outputs.size(); ++i) copy_into(outputs[i], targets[i]);
        return true;
    }
    ReduceShape shape;
    shape.outputs = static_cast<int>(outputs.size());
    shape.parameter = params == nullptr ? 0 : *static_cast<const double*>(params);
    LoopShape& kept = shape.kept;
    LoopShape& inner = shape.reduced;
    kept.operands = shape.outputs + 1;
    inner.operands = 1;
    kept.count = inner.count = 1;
    for (int o = 0; o < shape.outputs; ++o) locate(outputs[static_cast<std::size_t>(o)], kept.operand[o]);
    locate(input, kept.operand[shape.outputs]);
    inner.operand[0] = kept.operand[shape.outputs];
    for (std::size_t d = 0; d < input.sizes().size(); ++d) {
        LoopShape& loop = reduced[d] ? inner : kept;
        loop.sizes[loop.dims] = input.sizes()[d];
        loop.operand[reduced[d] ? 0 : shape.outputs].strides[loop.dims] = input.strides()[d] * input.element_size();
        loop.count *= input.sizes()[d];
        ++loop.dims;
    }
    for (int o = 0; o < shape.outputs; ++o) {
        std::int64_t stride = size_of(kept.operand[o].element);
        for (int d = kept.dims - 1; d >= 0; --d) {
            kept.operand[o].strides[d] = stride;
            stride *= kept.sizes[d];
        }
    }
    join_dims(kept);
    join_dims(inner);
    return run_reduction(found->second.first, found->second.second, queue_of(input.device()), shape);
}

bool KernelLoops::copy(const Tensor& to, const Tensor& from) {
    if (to.numel() == 0) return true;
    const bool same = to.dtype() == from.dtype();
    if (!same && !passes(from.dtype(), to.dtype())) return false;
    LoopShape loop;
    const LoopOperand operands[] = {LoopOperand(to, to.dtype()), LoopOperand(from, from.dtype())};
    if (!describe(operands, loop)) return false;
    if (!same && (is_complex(to.dtype()) || is_complex(from.dtype())))
        return run_complex_copy(queue_of(to.device()), loop), true;
    run_copy(same ? static_cast<int>(to.element_size()) : 0, queue_of(to.device()), loop);
    return true;
}

bool KernelLoops::apply_taps(const Tensor& to, const Tensor& from, std::span<const DimTaps> dims) {
    return cuda::apply_taps(to, from, dims);
}

bool KernelLoops::run_lists(const ListCall& call) { return cuda::run_lists(call); }

std::unique_ptr<LateTotals> KernelLoops::add_up(const Tensor& t) {
    if (!is_known(t.dtype())) return nullptr;
    const Tensor x = t.is_non_overlapping_and_dense() ? t : dense(t);
    const Queue queue = queue_of(x.device());
    static_assert(sizeof(ElementTotals) <= kHostRoom);
    std::shared_ptr<void> room = host_room(x.device(), sizeof(ElementTotals));
    auto* const whole = new (room.get()) ElementTotals;
    run_statistics(queue, element_of(x.dtype()), address_of(x), x.numel(), whole);
    return std::make_unique<TotalsInRoom>(queue, std::move(room), whole);
}

bool KernelLoops::fill(const Tensor& to, const Scalar& value) {
    if (to.numel() == 0) return true;
    if (!is_element(to.dtype()) || (value.is_complex() && !is_complex(to.dtype()))) return false;
    LoopShape loop;
    // The value as the dtype holds it.
    const Tensor number = scalar_tensor(value, to.dtype());
    const LoopOperand operands[] = {LoopOperand(to, to.dtype()), LoopOperand(number.raw_data(), to.dtype())};
    if (!describe(operands, loop)) return false;
    if (is_complex(to.dtype())) return run_complex_copy(queue_of(to.device()), loop), true;
    run_copy(0, queue_of(to.device()), [&] {
        // What kind of number it is decides how it passes.
        loop.operand[1].element = is_integral(to.dtype()) ? Element::Int64 : Element::Float64;
        return loop;
    }());
    return true;
}

void register_loops(const PluginRegistries& registries, DeviceType type, const char* backend) {
    for (const OperatorFamily& family : operator_families()) {
        if (family.name != "pointwise" && family.name != "reduction" && family.name != "special") continue;
        for (const OperatorRecord* const record : family.records) {
            const std::string_view name = record->schema.substr(0, record->schema.find('('));
            if (!record->kernel.fills || std::ranges::find(kOwnWalks, name) != std::end(kOwnWalks)) continue;
            registries.add_kernel(name, type, {backend, record->kernel.function, takes});
        }
    }
}

}  // namespace loupe::cuda
