// SPDX-License-Identifier: Apache-2.0
// The operators that the backward engine uses itself.

#include "core/dispatch/gradient_arithmetic.h"

#include <algorithm>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/dispatch/call.h"

namespace loupe {
namespace {

const OperatorHandle<> kAdd{"aten::add.Tensor"};
const OperatorHandle<> kAddInPlace{"aten::add_.Tensor"};
const OperatorHandle<> kSum{"aten::sum.dim_IntList"};
const OperatorHandle<> kReshape{"aten::reshape"};
const OperatorHandle<> kTo{"aten::to.dtype"};
const OperatorHandle<> kToCopy{"aten::_to_copy"};
const OperatorHandle<> kReal{"aten::real"};
const OperatorHandle<> kFill{"aten::fill_.Scalar"};
const OperatorHandle<> kClone{"aten::clone"};
const OperatorHandle<> kCopy{"aten::copy_"};
const OperatorHandle<> kIsNan{"aten::isnan"};
const OperatorHandle<> kAny{"aten::any"};
const OperatorHandle<> kAsStrided{"aten::as_strided"};
const OperatorHandle<> kAsStridedScatter{"aten::as_strided_scatter"};

Tensor filled(Tensor t, double value) {
    const GradModeScope no_grad(false);
    return kFill(t, Scalar(value));
}

Tensor sum_to(const Tensor& t, IntSpan sizes) {
    Dims dims;
    const auto extra = static_cast<std::size_t>(t.dim()) - sizes.size();
    for (std::size_t d = 0; d < static_cast<std::size_t>(t.dim()); ++d) {
        if (d < extra || (sizes[d - extra] == 1 && t.sizes()[d] != 1)) dims.push_back(static_cast<std::int64_t>(d));
    }
    const Tensor summed = dims.empty() ? t : kSum(t, dims, true);
    return extra == 0 ? summed : kReshape(summed, sizes);
}

Tensor cast(const Tensor& t, ScalarType dtype) {
    const Tensor real = is_complex(t.dtype()) && !is_complex(dtype) ? kReal(t) : t;
    return real.dtype() == dtype ? real : kTo(real, static_cast<std::int64_t>(dtype));
}

Tensor restride(const Tensor& t, IntSpan strides) {
    if (std::equal(strides.begin(), strides.end(), t.strides().begin(), t.strides().end())) return t;
    return kCopy(empty_strided(t.sizes(), strides, t.dtype(), t.device()), t);
}

}  // namespace

void install_gradient_arithmetic() {
    GradientArithmetic table;
    table.add = [](const Tensor& a, const Tensor& b) { return kAdd(a, b, Scalar(1)); };
    table.add_in_place = [](const Tensor& a, const Tensor& b) {
        const GradModeScope no_grad(false);
        kAddInPlace(a, b, Scalar(1));
    };
    table.sum_to = sum_to;
    table.cast = cast;
    table.to_device = [](const Tensor& t, Device device) {
        return t.device() == device ? t : kToCopy(t, IValue(), IValue(), IValue(device), IValue(), false, IValue());
    };
    table.ones_like = [](const Tensor& t) { return filled(empty_like(t), 1); };
    table.clone = [](const Tensor& t) { return kClone(t); };
    table.copy = [](const Tensor& to, const Tensor& from) {
        const GradModeScope no_grad(false);
        kCopy(to, from);
    };
    table.has_nan = [](const Tensor& t) { return item(kAny(kIsNan(t))).to_bool(); };
    table.restride = restride;
    table.as_strided = [](const Tensor& t, IntSpan sizes, IntSpan strides, std::int64_t offset) {
        return kAsStrided(t, sizes, strides, t.storage_offset() + offset);
    };
    table.as_strided_scatter = [](const Tensor& t, const Tensor& src, IntSpan sizes, IntSpan strides,
                                  std::int64_t offset) { return kAsStridedScatter(t, src, sizes, strides, offset); };
    table.zeros = [](IntSpan sizes, const GradientShape& like) {
        return filled(empty(sizes, like.dtype, like.device), 0);
    };
    set_gradient_arithmetic(table);
}

}  // namespace loupe
