// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/device_comparison.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/generator.h"
#include "core/ops/samples.h"
#include "core/tensor/device_copy.h"
#include "tests/ops/comparison.h"
#include "tests/ops/layouts.h"

namespace loupe::sweep {
namespace {

struct Outcome {
    TensorList tensors;
    TensorList gradients;
    std::string text;  // what is no tensor
    std::string refusal;
};

// The same arguments there, those that share memory apart: samples share none.
std::vector<IValue> on(Device device, const std::vector<IValue>& arguments) {
    std::vector<IValue> out = changed(arguments, [&](const Tensor& t) {
        const Tensor copy = on_device(fn::clone(t), device);
        return copy;
    });
    for (IValue& value : out) {
        if (value.is_device()) value = device;
    }
    return out;
}

Outcome run(const Operator& op, const std::vector<IValue>& arguments, bool with_gradients) {
    Outcome out;
    try {
        seed_generators(0);
        TensorList leaves;
        const GradModeScope grad(with_gradients);
        if (with_gradients) {
            for (const Tensor& t : tensors_in(arguments)) {
                if (!t.defined() || !is_differentiable(t.dtype())) continue;
                leaves.push_back(t);
                set_requires_grad(t, true);
            }
        }
        const std::vector<IValue> results = call(op, arguments);
        out.tensors = tensors_in(results);
        for (const IValue& value : results) {
            if (!value.is_tensor() && !value.is_list() && !value.is_device()) out.text += python_str(value) + " ";
        }
        if (!with_gradients) {
            // What was written.
            for (const Tensor& t : tensors_in(arguments)) out.tensors.push_back(t);
            return out;
        }
        TensorList roots, cotangents;
        for (const Tensor& t : out.tensors) {
            if (!t.defined() || !requires_grad(t)) continue;
            roots.push_back(t);
            cotangents.push_back(fn::add_scalar(detach(t), Scalar(0.5), Scalar(1)));
        }
        if (!roots.empty()) out.gradients = gradients_of(roots, leaves, cotangents, {}, true);
    } catch (const Error& error) {
        out.refusal = error.message();
    }
    return out;
}

std::string difference_of(const TensorList& actual, const TensorList& expected, Device device, bool may_be_on_host,
                          const char* what, const std::function<bool(const std::string&)>& is_excused) {
    if (actual.size() != expected.size()) return concat("another number of ", what, "s");
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const Tensor& t = actual[i];
        if (t.defined() != expected[i].defined()) return concat(what, " ", i, ": one is undefined");
        if (!t.defined() || t.is_sparse()) continue;
        // Lengths and the like are on the host where an operator takes them from there.
        if (!(t.device() == device) && !(may_be_on_host && t.device().is_cpu()))
            return concat(what, " ", i, " is on ", device_name(t.device()));
        if (!std::ranges::equal(t.strides(), expected[i].strides()) && t.numel() > 1)
            return concat(what, " ", i, " has strides ", shape_list_text(t.strides()), ", not ",
                          shape_list_text(expected[i].strides()));
        const std::string found =
            difference(on_host(detach(t)), detach(expected[i]), precision(expected[i].dtype()) * 4);
        if (found.empty()) continue;
        std::string text = concat(what, " ", i, ": ", found);
        if (!is_excused(text)) return text;
    }
    return {};
}

// Where b is finite: infinity where a is not.
double largest_apart(const Tensor& a, const Tensor& b) {
    if (b.numel() == 0) return 0;
    const Tensor apart =
        fn::masked_fill(fn::abs(fn::sub(a, b, Scalar(1))), fn::logical_not(fn::isfinite(b)), Scalar(0));
    const auto most = item(fn::amax(fn::reshape(apart, Dims{-1}), Dims{0}, false)).to<double>();
    return std::isnan(most) ? std::numeric_limits<double>::infinity() : most;
}

}  // namespace

std::string difference_on(Device place, const Operator& op, const Sample& sample, bool without_rounding) {
    const auto is_excused = [&](const std::string& found) {
        return without_rounding && is_decided_by_rounding(place, op, sample, found);
    };
    // Without tensors and without a device it makes them on the CPU.
    const std::vector<IValue> moved_arguments = on(place, sample.arguments);
    const bool is_given =
        !tensors_in(sample.arguments).empty() || std::ranges::any_of(moved_arguments, &IValue::is_device);
    const Device device = is_given ? place : Device{};
    const bool may_be_on_host = op.record->placement == Placement::Mixed;
    for (const bool with_gradients : {false, true}) {
        const Outcome want = run(op, on(Device{}, sample.arguments), with_gradients);
        const Outcome got = run(op, on(place, sample.arguments), with_gradients);
        if (got.refusal != want.refusal) return concat(got.refusal, " <> ", want.refusal);
        if (got.text != want.text) return concat(got.text, " <> ", want.text);
        std::string found = difference_of(got.tensors, want.tensors, device, may_be_on_host, "result", is_excused);
        if (found.empty()) found = difference_of(got.gradients, want.gradients, device, false, "gradient", is_excused);
        if (!found.empty()) return found;
    }
    return {};
}

bool is_decided_by_rounding(Device device, const Operator& op, const Sample& sample, std::string_view found) {
    const auto wide_dtype = [](const Tensor& t) {
        return number_of(is_complex(t.dtype()) ? ScalarType::Complex128 : ScalarType::Float64);
    };
    const auto widened = [&](const Tensor& t) {
        const bool is_narrow = t.defined() && is_differentiable(t.dtype()) && !t.is_sparse();
        return is_narrow ? fn::clone(fn::to_dtype(t, wide_dtype(t))) : fn::clone(t);
    };
    const auto nudged = [](const Tensor& t) {
        if (!t.defined() || !is_complex(t.dtype()) || t.is_sparse()) return fn::clone(t);
        return fn::clone(fn::mul_scalar(t, Scalar(1 + 0x1p-23)));
    };
    const Outcome narrow = run(op, on(Device{}, sample.arguments), true);
    const Outcome wide = run(op, changed(sample.arguments, widened), true);
    const Outcome moved = run(op, changed(sample.arguments, nudged), true);
    const TensorList there = run(op, on(device, sample.arguments), true).tensors;
    const auto is_rounding = [&](const char* what, const TensorList& narrow_ones, const TensorList& wide_ones) {
        for (std::size_t i = 0; i < wide_ones.size() && narrow_ones.size() == wide_ones.size(); ++i) {
            if (!found.starts_with(concat(what, " ", i, ":"))) continue;
            const Tensor& t = narrow_ones[i];
            if (!t.defined() || !wide_ones[i].defined() || t.is_sparse() || !is_differentiable(t.dtype())) continue;
            const auto as_wide = [&](const Tensor& each) { return fn::to_dtype(detach(each), wide_dtype(t)); };
            const Tensor from = as_wide(wide_ones[i]), own = as_wide(t);
            if (difference(own, from, precision(t.dtype()) * 4).empty()) continue;
            if (&narrow_ones != &narrow.tensors) return true;
            const double most = 2 * largest_apart(own, from) + precision(t.dtype()) * 4;
            return i < there.size() && largest_apart(as_wide(on_host(there[i])), from) <= most;
        }
        return false;
    };
    // Complex functions move near their poles by far more than their arguments: what a last place moves there by more
    // than is allowed is rounding too. Real results are never passed over.
    const auto is_complex_number = [](const Tensor& t) { return t.defined() && is_complex(t.dtype()); };
    return is_rounding("gradient", narrow.gradients, wide.gradients) ||
           (std::ranges::any_of(narrow.tensors, is_complex_number) &&
            (is_rounding("result", narrow.tensors, wide.tensors) ||
             is_rounding("result", narrow.tensors, moved.tensors) ||
             is_rounding("gradient", narrow.gradients, moved.gradients)));
}

}  // namespace loupe::sweep
