// SPDX-License-Identifier: Apache-2.0
// Operators of the domain ai.onnx.ml.
#include "plugins/onnx/ops/indices.h"

namespace loupe::onnx {
namespace {

Tensor binarizer(const Tensor& x, double threshold) { return cast(fn::gt_scalar(x, Scalar(threshold)), x.dtype()); }

// A vector is one row.
Tensor feature_extractor(const Tensor& x, const Tensor& indices) {
    require(x.dim() > 0, "expected features, not ", describe(x));
    const Tensor places = fn::reshape(from_start(indices, x.size(-1)), Dims{-1});
    const Tensor out = fn::index_select(x, std::int64_t{-1}, places);
    return x.dim() == 1 ? fn::unsqueeze(out, 0) : out;
}

constexpr OperatorRecord kRecords[] = {
    made_of("ai_onnx_ml::Binarizer(Tensor X, *, float threshold=0.) -> Tensor", "1 above the threshold, else 0.",
            boxed<binarizer>),
    reading("ai_onnx_ml::ArrayFeatureExtractor(Tensor X, Tensor Y) -> Tensor", "Elements of the last dimension.",
            boxed<feature_extractor>),
};

}  // namespace

std::span<const OperatorRecord> feature_records() { return kRecords; }

}  // namespace loupe::onnx
