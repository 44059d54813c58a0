// SPDX-License-Identifier: Apache-2.0
#include "core/nn/tied_size.h"

#include "core/autograd/program_tracer.h"

namespace loupe::nn {

TiedSize size_of(const Tensor& t, std::int64_t dim) { return {t.size(dim), tied_size(t, dim)}; }

TiedSize operator*(const TiedSize& a, const TiedSize& b) {
    const std::int64_t value = a.value * b.value;
    if (!a.tied.defined() && !b.tied.defined()) return value;
    if (!b.tied.defined()) return {value, fn::mul_scalar(a.tied, Scalar(b.value))};
    return {value, a.tied.defined() ? fn::mul(a.tied, b.tied) : fn::mul_scalar(b.tied, Scalar(a.value))};
}

Dims tied_dims(const OperatorHandle<>& op, std::size_t argument, std::initializer_list<TiedSize> sizes) {
    Dims out;
    for (const TiedSize& size : sizes) {
        if (size.tied.defined())
            tie_number({&op.get(), argument, static_cast<int>(out.size()), NumberTie::As::Int, size.tied});
        out.push_back(size.value);
    }
    return out;
}

}  // namespace loupe::nn
