// SPDX-License-Identifier: Apache-2.0
// Random numbers. They are the engine's, seeded with its others: ONNX says what is drawn, not which numbers.
#include "plugins/onnx/ops/common.h"
#include "plugins/onnx/proto/onnx.pb.h"

namespace loupe::onnx {
namespace {

Tensor uninitialised(const Dims& sizes, ScalarType dtype) {
    checked_numel(span_of(sizes));
    return fn::full(sizes, Scalar(0.0), static_cast<std::int64_t>(dtype));
}
ScalarType dtype_or(const std::optional<std::int64_t>& dtype, ScalarType otherwise) {
    return dtype ? held_dtype(*dtype) : otherwise;
}

Tensor normal(const Dims& sizes, ScalarType dtype, double mean, double scale) {
    return fn::normal_(uninitialised(sizes, dtype), mean, scale);
}
Tensor uniform(const Dims& sizes, ScalarType dtype, double low, double high) {
    return fn::uniform_(uninitialised(sizes, dtype), low, high);
}
Tensor random_normal(std::int64_t dtype, double mean, double scale, const std::optional<double>&, const Dims& shape) {
    return normal(shape, held_dtype(dtype), mean, scale);
}
Tensor random_uniform(std::int64_t dtype, double high, double low, const std::optional<double>&, const Dims& shape) {
    return uniform(shape, held_dtype(dtype), low, high);
}
Tensor random_normal_like(const Tensor& x, const std::optional<std::int64_t>& dtype, double mean, double scale,
                          const std::optional<double>&) {
    return normal(to_dims(x.sizes()), dtype_or(dtype, x.dtype()), mean, scale);
}
Tensor random_uniform_like(const Tensor& x, const std::optional<std::int64_t>& dtype, double high, double low,
                           const std::optional<double>&) {
    return uniform(to_dims(x.sizes()), dtype_or(dtype, x.dtype()), low, high);
}

Tensor bernoulli(const Tensor& x, const std::optional<std::int64_t>& dtype, const std::optional<double>&) {
    return cast(fn::bernoulli_tensor_(fn::zeros_like(x), fn::detach(x)), dtype_or(dtype, x.dtype()));
}

Tensor multinomial(const Tensor& x, std::int64_t dtype, std::int64_t sample_size, const std::optional<double>&) {
    const Tensor weights = fn::softmax(fn::detach(x), std::int64_t{-1});
    return cast(call_one("aten::multinomial", {weights, sample_size, true, IValue()}), held_dtype(dtype));
}

fn::TwoTensors unchanged(const Tensor& x) {
    const Tensor kept = fn::full(to_dims(x.sizes()), Scalar(true), static_cast<std::int64_t>(ScalarType::Bool));
    return {fn::alias(x), kept};
}
fn::TwoTensors dropped(const Tensor& x, double ratio) {
    require(ratio >= 0 && ratio < 1, "a ratio of ", ratio);
    const Tensor kept = fn::bernoulli_(fn::zeros_like(fn::detach(x)), 1 - ratio);
    return {fn::mul_scalar(fn::mul(x, kept), Scalar(1 / (1 - ratio))), cast(kept, ScalarType::Bool)};
}
// Of opset 6 and before is_test; later ones drop nothing.
fn::TwoTensors dropout_v1(const Tensor& x, std::int64_t is_test, double ratio) {
    return is_test != 0 ? unchanged(x) : dropped(x, ratio);
}
fn::TwoTensors dropout_v7(const Tensor& x, double) { return unchanged(x); }
fn::TwoTensors dropout(const Tensor& x, const Tensor& ratio, const Tensor& training_mode,
                       const std::optional<std::int64_t>&) {
    const double p = ratio.defined() && ratio.numel() > 0 ? real_number(ratio) : 0.5;
    const bool trains = training_mode.defined() && training_mode.numel() > 0 && real_number(training_mode) != 0;
    return trains && p > 0 ? dropped(x, p) : unchanged(x);
}
Tensor dropout_v7_one(const Tensor& x, double) { return fn::alias(x); }
Tensor dropout_one(const Tensor& x, const Tensor& ratio, const Tensor& training_mode,
                   const std::optional<std::int64_t>&) {
    const double p = ratio.defined() && ratio.numel() > 0 ? real_number(ratio) : 0.5;
    const bool trains = training_mode.defined() && training_mode.numel() > 0 && real_number(training_mode) != 0;
    return trains && p > 0 ? fn::dropout(x, p, true) : fn::alias(x);
}

constexpr OperatorRecord drawn(std::string_view schema, std::string_view summary, KernelFunction function) {
    OperatorRecord record = reading(schema, summary, function);
    record.is_random = true;
    return record;
}

constexpr OperatorRecord kRecords[] = {
    drawn("onnx::RandomNormal(*, int dtype=1, float mean=0., float scale=1., float? seed=None, int[] shape) -> Tensor",
          "Random numbers of a normal distribution.", boxed<random_normal>),
    drawn("onnx::RandomUniform(*, int dtype=1, float high=1., float low=0., float? seed=None, int[] shape) -> Tensor",
          "Random numbers between two bounds.", boxed<random_uniform>),
    drawn("onnx::RandomNormalLike(Tensor input, *, int? dtype=None, float mean=0., float scale=1., float? seed=None) "
          "-> Tensor",
          "Random numbers of a normal distribution, in the shape of a tensor.", boxed<random_normal_like>),
    drawn("onnx::RandomUniformLike(Tensor input, *, int? dtype=None, float high=1., float low=0., float? seed=None) -> "
          "Tensor",
          "Random numbers between two bounds, in the shape of a tensor.", boxed<random_uniform_like>),
    drawn("onnx::Bernoulli(Tensor input, *, int? dtype=None, float? seed=None) -> Tensor",
          "1 with each element's probability, else 0.", boxed<bernoulli>),
    drawn("onnx::Multinomial(Tensor input, *, int dtype=6, int sample_size=1, float? seed=None) -> Tensor",
          "Classes drawn by the logarithms of their probabilities.", boxed<multinomial>),
    drawn("onnx::Dropout(Tensor data, *, int is_test=0, float ratio=0.5) -> (Tensor, Tensor)",
          "Elements dropped at random.", boxed<dropout_v1>),
    made_of("onnx::Dropout.v7(Tensor data, *, float ratio=0.5) -> (Tensor, Tensor)",
            "The input: nothing is dropped outside of training.", boxed<dropout_v7>),
    made_of("onnx::Dropout.v7_one(Tensor data, *, float ratio=0.5) -> Tensor",
            "The input: nothing is dropped outside of training.", boxed<dropout_v7_one>),
    drawn("onnx::Dropout.v12(Tensor data, Tensor? ratio=None, Tensor? training_mode=None, *, int? seed=None) -> "
          "(Tensor, Tensor)",
          "Elements dropped at random in training, and which were kept.", boxed<dropout>),
    drawn("onnx::Dropout.v12_one(Tensor data, Tensor? ratio=None, Tensor? training_mode=None, *, int? seed=None) -> "
          "Tensor",
          "Elements dropped at random in training.", boxed<dropout_one>),
};

}  // namespace

std::span<const OperatorRecord> random_records() { return kRecords; }

}  // namespace loupe::onnx
