// SPDX-License-Identifier: Apache-2.0
// What quantisation-aware training calls: a moving range of the values, and quantisation imitated in it.

#include "core/ops/quantized/fake_quantize.h"
#include "core/ops/quantized/family.h"
#include "core/tensor/device_copy.h"

namespace loupe::quantized_ops {
namespace {

struct Observer {
    Tensor running_min, running_max, scale, zero_point;
    double averaging;
    Range bounds;
    std::int64_t axis;
    bool by_row;
    bool is_symmetric;
};

// [rows] or [1].
fn::TwoTensors range_of(const Tensor& x, const Observer& observer) {
    if (!observer.by_row) {
        const Dims one{1};
        return {fn::reshape(fn::amin(x, Dims{}, false), one), fn::reshape(fn::amax(x, Dims{}, false), one)};
    }
    const Tensor rows = fn::reshape(fn::transpose(x, 0, observer.axis), Dims{x.size(observer.axis), -1});
    return {fn::amin(rows, Dims{1}, false), fn::amax(rows, Dims{1}, false)};
}

void move_range(const Tensor& running, const Tensor& seen, double averaging) {
    if (!std::ranges::equal(running.sizes(), seen.sizes()))
        running.set_metadata_from(fn::full_like(seen, Scalar(std::numeric_limits<double>::infinity())));
    const Tensor moved = fn::add(running, fn::sub(seen, running, Scalar(1)), Scalar(averaging));
    fn::copy_(running, fn::where(fn::isinf(running), seen, moved), false);
}

// With `is_symmetric` the range is widened to be symmetric around 0, which stands in the middle of the integers.
Parameters chosen_for(float least, float most, const Observer& observer) {
    const Range bounds = observer.bounds;
    const bool is_centred = observer.is_symmetric && least < 0 && most > 0;
    if (is_centred) {
        const double low = -static_cast<double>((bounds.most - bounds.least) / 2 + 1),
                     high = static_cast<double>((bounds.most - bounds.least) / 2);
        const double step =
            std::max(std::abs(static_cast<double>(least) / low), std::abs(static_cast<double>(most) / high));
        least = static_cast<float>(step * low);
        most = static_cast<float>(step * high);
    }
    Parameters chosen = choose_parameters(least, most, bounds, false);
    if (is_centred)
        chosen.zero_point =
            static_cast<std::int32_t>(std::nearbyint(static_cast<double>(bounds.least + bounds.most) / 2));
    return chosen;
}

void choose(const Observer& observer) {
    const std::int64_t rows = observer.running_min.numel();
    std::vector<float> scales;
    std::vector<std::int32_t> points;
    for (std::int64_t i = 0; i < rows; ++i) {
        const auto at = [&](const Tensor& t) {
            return static_cast<float>(item(fn::select(fn::reshape(t, Dims{-1}), 0, i)).to_double());
        };
        const Parameters chosen = chosen_for(at(observer.running_min), at(observer.running_max), observer);
        scales.push_back(chosen.scale);
        points.push_back(chosen.zero_point);
    }
    const Dims sizes{rows};
    const auto set = [&](const Tensor& to, const Tensor& from) {
        if (!std::ranges::equal(to.sizes(), from.sizes()))
            to.set_metadata_from(on_device(fn::to_dtype(from, number_of(to.dtype())), to.device()));
        fn::copy_(to, from, false);
    };
    set(observer.scale, tensor_of(std::span<const float>(scales), span_of(sizes)));
    set(observer.zero_point, tensor_of(std::span<const std::int32_t>(points), span_of(sizes)));
}

fn::TwoTensors helper(const Tensor& self, const Tensor& observer_on, const Tensor& fake_quant_on,
                      const Tensor& running_min, const Tensor& running_max, const Tensor& scale,
                      const Tensor& zero_point, double averaging_const, std::int64_t quant_min, std::int64_t quant_max,
                      std::int64_t ch_axis, bool per_row, bool symmetric) {
    require(!per_row || ch_axis < self.dim(),
            "Error in fused_moving_avg_obs_fake_quant_cpu: ch_axis must be < self.dim()");
    const Observer observer{running_min, running_max, scale,    zero_point, averaging_const, {quant_min, quant_max},
                            ch_axis,     per_row,     symmetric};
    if (item(observer_on).to_int() != 0) {
        const auto [least, most] = range_of(fn::detach(self), observer);
        move_range(running_min, least, averaging_const);
        move_range(running_max, most, averaging_const);
    }
    if (item(fake_quant_on).to_int() == 0)
        return {fn::clone(self, IValue()), fn::to_dtype(fn::ones_like(self), number_of(ScalarType::Bool))};
    choose(observer);
    static const OperatorHandle<fn::TwoTensors> by_channel("aten::fake_quantize_per_channel_affine_cachemask");
    static const OperatorHandle<fn::TwoTensors> by_tensor(
        "aten::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams");
    return per_row ? by_channel(self, scale, zero_point, ch_axis, quant_min, quant_max)
                   : by_tensor(self, scale, zero_point, fake_quant_on, quant_min, quant_max);
}

void pass_through(GradientContext& c) {
    static const OperatorHandle<> backward("aten::fake_quantize_per_tensor_affine_cachemask_backward");
    c.grad("self", [&] { return backward(c.grad_output(), c.result(1)); });
}

Tensor fused(const Tensor& self, const Tensor& observer_on, const Tensor& fake_quant_on, const Tensor& running_min,
             const Tensor& running_max, const Tensor& scale, const Tensor& zero_point, double averaging_const,
             std::int64_t quant_min, std::int64_t quant_max, std::int64_t ch_axis, bool per_row, bool symmetric) {
    static const OperatorHandle<fn::TwoTensors> op("aten::_fused_moving_avg_obs_fq_helper");
    if (self.numel() == 0) return fn::clone(self, IValue());
    return std::get<0>(op(self, observer_on, fake_quant_on, running_min, running_max, scale, zero_point,
                          averaging_const, quant_min, quant_max, ch_axis, per_row, symmetric));
}

constexpr OperatorRecord kRecords[] = {
    {.schema =
         "aten::_fused_moving_avg_obs_fq_helper(Tensor self, Tensor observer_on, Tensor fake_quant_on, Tensor(a!) "
         "running_min, Tensor(b!) running_max, Tensor(c!) scale, Tensor(d!) zero_point, float averaging_const, "
         "int quant_min, int quant_max, int ch_axis, bool per_row_fake_quant=False, bool symmetric_quant=False) "
         "-> (Tensor output, Tensor mask)",
     .summary = "Moves the observed range to that of self, and imitates quantisation in it.",
     .formula = "running += averaging_const (range of self - running)",
     .kernel = boxed<helper>,
     .derivative = {pass_through, {save_result(1)}},
     .gradient = "self: grad where it did not clamp, else 0"},
    {.schema = "aten::fused_moving_avg_obs_fake_quant(Tensor self, Tensor observer_on, Tensor fake_quant_on, "
               "Tensor(a!) running_min, Tensor(b!) running_max, Tensor(c!) scale, Tensor(d!) zero_point, float "
               "averaging_const, int quant_min, int quant_max, int ch_axis, bool per_row_fake_quant=False, bool "
               "symmetric_quant=False) -> Tensor",
     .summary = "Moves the observed range to that of self, and imitates quantisation in it.",
     .composite = boxed<fused>,
     .gradient = "self: grad where it did not clamp, else 0"},
};

}  // namespace

std::span<const OperatorRecord> observer_records() { return kRecords; }

}  // namespace loupe::quantized_ops
