// SPDX-License-Identifier: Apache-2.0
// Softmax and its like. Before opset 13 they worked on the input as a matrix: all from `axis` on was one row.
#include "plugins/onnx/ops/common.h"

namespace loupe::onnx {
namespace {

using Along = Tensor (*)(const Tensor& x, std::int64_t dim);

Tensor softmax(const Tensor& x, std::int64_t dim) { return fn::softmax(x, dim); }
Tensor log_softmax(const Tensor& x, std::int64_t dim) { return fn::log_softmax(x, dim); }
// 1 at the first largest element.
Tensor hardmax(const Tensor& x, std::int64_t dim) {
    const Tensor place = fn::argmax(x, dim, true);
    return fn::scatter_value(fn::zeros_like(x), dim, place, Scalar(1.0));
}

template <Along F>
Tensor on_matrix(const Tensor& x, std::int64_t axis) {
    const std::int64_t from = axis == x.dim() ? axis : wrap_dim(axis, x.dim());
    if (from == x.dim() - 1) return F(x, from);
    std::int64_t rows = 1;
    for (std::int64_t d = 0; d < from; ++d) rows *= x.size(d);
    const std::int64_t columns = rows == 0 ? 0 : x.numel() / rows;
    return fn::reshape(F(fn::reshape(x, Dims{rows, columns}), 1), to_dims(x.sizes()));
}
template <Along F>
Tensor along(const Tensor& x, std::int64_t axis) {
    return F(x, wrap_dim(axis, x.dim()));
}

#define LOUPE_SOFTMAX(name, summary, function)                                                             \
    made_of("onnx::" name "(Tensor input, *, int axis=1) -> Tensor", summary, boxed<on_matrix<function>>), \
        made_of("onnx::" name ".v13(Tensor input, *, int axis=-1) -> Tensor", summary, boxed<along<function>>)

constexpr OperatorRecord kRecords[] = {
    LOUPE_SOFTMAX("Softmax", "Exponentials divided by their sum.", softmax),
    LOUPE_SOFTMAX("LogSoftmax", "The logarithm of softmax.", log_softmax),
    LOUPE_SOFTMAX("Hardmax", "1 at the first largest element, else 0.", hardmax),
};

#undef LOUPE_SOFTMAX

}  // namespace

std::span<const OperatorRecord> softmax_records() { return kRecords; }

}  // namespace loupe::onnx
