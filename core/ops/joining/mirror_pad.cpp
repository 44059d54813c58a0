// SPDX-License-Identifier: Apache-2.0
// reflection_pad and replication_pad in one to three dimensions. The border's elements are elements of the input, found
// by a map along each dimension; gradients are added back through the same maps.

#include <algorithm>

#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/dispatch/out_refusals.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/integer_math.h"
#include "core/ops/joining/family.h"
#include "core/ops/joining/index_maps.h"
#include "core/ops/samples.h"
#include "core/tensor/memory_limit.h"

namespace loupe::joining {
namespace {

enum class Border { Reflect, Replicate };

std::int64_t source_index(Border border, std::int64_t i, std::int64_t size) {
    if (border == Border::Replicate) return std::clamp<std::int64_t>(i, 0, size - 1);
    if (i < 0) return -i;
    return i < size ? i : 2 * (size - 1) - i;
}

// padding: left and right of the last dimension, of the one before it, and so on.
template <Border B, std::size_t N>
std::vector<IndexMap> border_maps(IntSpan sizes, const Dims& padding) {
    std::vector<IndexMap> maps;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        const std::size_t from_last = sizes.size() - 1 - d;
        if (from_last >= N) {
            maps.push_back(identity_map(sizes[d]));
            continue;
        }
        const std::int64_t left = padding[2 * from_last];
        IndexMap map(static_cast<std::size_t>(sizes[d] + left + padding[2 * from_last + 1]));
        for (std::size_t i = 0; i < map.size(); ++i)
            map[i] = source_index(B, static_cast<std::int64_t>(i) - left, sizes[d]);
        maps.push_back(std::move(map));
    }
    return maps;
}

template <Border B, std::size_t N>
void check_shape(const Tensor& self, const Dims& padding) {
    if (padding.size() != 2 * N)
        throw Error(ErrorKind::Run, concat("padding size is expected to be ", 2 * N, ", but got: ", padding.size()));
    const auto ndim = static_cast<std::size_t>(self.dim());
    bool fits = ndim == N + 1 || ndim == N + 2;
    // For images PyTorch does not check the first dimension, batch or not.
    constexpr bool kIsMirroredImage = B == Border::Reflect && N == 2;
    for (std::size_t d = kIsMirroredImage || ndim == N + 2 ? 1 : 0; fits && d < ndim; ++d) fits = self.sizes()[d] != 0;
    if (fits) return;
    throw Error(ErrorKind::Run, concat("Expected ", N + 1, "D or ", N + 2,
                                       "D (batch mode) tensor with possibly 0 batch size and other "
                                       "non-zero dimensions for input, but got: ",
                                       shape_list_text(self.sizes())));
}

template <Border B, std::size_t N>
TensorMeta border_meta(const Tensor& self, const Dims& padding) {
    check_shape<B, N>(self, padding);
    TensorMeta meta{to_dims(self.sizes()), self.dtype(), self.device()};
    for (std::size_t k = 0; k < N; ++k) {
        const std::size_t d = meta.sizes.size() - 1 - k;
        const std::int64_t left = padding[2 * k];
        const std::int64_t right = padding[2 * k + 1];
        if (B == Border::Reflect && (left >= self.sizes()[d] || right >= self.sizes()[d])) {
            throw Error(ErrorKind::Run,
                        concat("Argument #", 4 + 2 * k,
                               ": Padding size should be less than the corresponding input "
                               "dimension, but got: padding (",
                               left, ", ", right, ") at dimension ", d, " of input ", shape_list_text(self.sizes())));
        }
        meta.sizes[d] =
            checked_sum(checked_sum(meta.sizes[d], left), right);  // in the order in which the map adds them
        require_memory(meta.sizes[d], sizeof(std::int64_t));       // of the index map
        if (meta.sizes[d] < 1) {
            throw Error(ErrorKind::Run, concat("input (", shape_list_text(self.sizes()),
                                               ") is too small. Calculated output size at "
                                               "dimension ",
                                               d, ": ", meta.sizes[d]));
        }
    }
    return meta;
}
template <Border B, std::size_t N>
void border_pad(const Tensor& out, const Tensor& self, const Dims& padding) {
    copy_mapped(out, self, border_maps<B, N>(self.sizes(), padding));
}

template <Border B, std::size_t N>
TensorMeta border_backward_meta(const Tensor& grad, const Tensor& self, const Dims& padding) {
    const TensorMeta expected = border_meta<B, N>(self, padding);
    if (!std::ranges::equal(expected.sizes, grad.sizes())) {
        throw Error(ErrorKind::Run,
                    concat("grad_output has wrong shape. Expected: ", shape_list_text(span_of(expected.sizes)),
                           ", Got: ", shape_list_text(grad.sizes())));
    }
    return {to_dims(self.sizes()), grad.dtype(), grad.device()};
}
template <Border B, std::size_t N>
void border_pad_backward(const Tensor& out, const Tensor& grad, const Tensor& self, const Dims& padding) {
    const auto independent = static_cast<std::size_t>(self.dim()) - N;
    add_mapped(out, grad, border_maps<B, N>(self.sizes(), padding), independent);
}

template <Border B, std::size_t N>
const OperatorHandle<>& pad_handle() {
    static const OperatorHandle<> handles[2][3] = {
        {OperatorHandle<>("aten::reflection_pad1d"), OperatorHandle<>("aten::reflection_pad2d"),
         OperatorHandle<>("aten::reflection_pad3d")},
        {OperatorHandle<>("aten::replication_pad1d"), OperatorHandle<>("aten::replication_pad2d"),
         OperatorHandle<>("aten::replication_pad3d")}};
    return handles[static_cast<int>(B)][N - 1];
}
template <Border B, std::size_t N>
const OperatorHandle<>& backward_handle() {
    static const OperatorHandle<> handles[2][3] = {
        {OperatorHandle<>("aten::reflection_pad1d_backward"), OperatorHandle<>("aten::reflection_pad2d_backward"),
         OperatorHandle<>("aten::reflection_pad3d_backward")},
        {OperatorHandle<>("aten::replication_pad1d_backward"), OperatorHandle<>("aten::replication_pad2d_backward"),
         OperatorHandle<>("aten::replication_pad3d_backward")}};
    return handles[static_cast<int>(B)][N - 1];
}
template <Border B, std::size_t N>
void pad_gradient(GradientContext& context) {
    context.grad("self", [&] {
        return backward_handle<B, N>()(context.grad_output(), context.argument("self"), context.value("padding"));
    });
}
template <Border B, std::size_t N>
void pad_backward_gradient(GradientContext& context) {
    context.grad("grad_output", [&] { return pad_handle<B, N>()(context.grad_output(), context.value("padding")); });
    context.grad("self", [&] { return fn::new_zeros(context.grad_output(), context.sizes("self")); });
}

template <std::size_t N>
Tensor sample_input(Random& random, ScalarType dtype) {
    if constexpr (N == 1)
        return random_tensor(random, {2, 2, 4}, dtype);
    else if constexpr (N == 2)
        return random_tensor(random, {2, 3, 4}, dtype);
    else
        return random_tensor(random, {2, 3, 3, 4}, dtype);
}
template <std::size_t N>
std::vector<Sample> pad_samples(Random& random, ScalarType dtype) {
    const Dims all{1, 2, 2, 1, 0, 1};
    return {{{sample_input<N>(random, dtype), Dims(all.begin(), all.begin() + 2 * N)}}};
}

template <Border B, std::size_t N>
constexpr OperatorRecord pad_record(std::string_view schema, std::string_view summary) {
    OperatorRecord record;
    record.schema = schema;
    record.summary = summary;
    record.infer = inferring<border_meta<B, N>>;
    record.kernel = filling<border_pad<B, N>>;
    record.derivative = {pad_gradient<B, N>, {save_argument("self")}};
    record.samples = pad_samples<N>;
    return record;
}
template <Border B, std::size_t N>
constexpr OperatorRecord backward_record(std::string_view schema, std::string_view summary) {
    OperatorRecord record;
    record.schema = schema;
    record.summary = summary;
    record.infer = inferring<border_backward_meta<B, N>>;
    record.kernel = filling<border_pad_backward<B, N>>;
    record.derivative = {pad_backward_gradient<B, N>};
    return record;
}

constexpr std::string_view kReflect = "With a border that mirrors the inside, the edge not repeated.";
constexpr std::string_view kReplicate = "With a border that repeats the edge.";
constexpr std::string_view kBackward = "The gradient: the border's added where its elements came from.";

constexpr std::string_view kBorder = "self: grad, that of the border added where its elements came from";
constexpr std::string_view kBorderOut = "grad_output: grad, with a border as forward";

constexpr OperatorRecord kRecords[] = {
    pad_record<Border::Reflect, 1>("aten::reflection_pad1d(Tensor self, int[2] padding) -> Tensor", kReflect)
        .with_autocast({.cpu = Autocast::Float32})
        .with_out({.refusal = out_refusal::kStructured})
        .with_gradient(kBorder),
    pad_record<Border::Reflect, 2>("aten::reflection_pad2d(Tensor self, int[4] padding) -> Tensor", kReflect)
        .with_dtypes({.kernel = "reflection_pad2d"})
        .with_autocast({.cpu = Autocast::Float32})
        .with_out({.refusal = out_refusal::kScalarType})
        .with_gradient(kBorder),
    pad_record<Border::Reflect, 3>("aten::reflection_pad3d(Tensor self, int[6] padding) -> Tensor", kReflect)
        .with_out({.refusal = out_refusal::kStructured})
        .with_gradient(kBorder),
    pad_record<Border::Replicate, 1>("aten::replication_pad1d(Tensor self, int[2] padding) -> Tensor", kReplicate)
        .with_dtypes({.kernel = "replication_pad1d"})
        .with_autocast({.cpu = Autocast::Float32})
        .with_out({.refusal = out_refusal::kStructured})
        .with_gradient(kBorder),
    pad_record<Border::Replicate, 2>("aten::replication_pad2d(Tensor self, int[4] padding) -> Tensor", kReplicate)
        .with_dtypes({.kernel = "replication_pad2d"})
        .with_autocast({.cpu = Autocast::Float32})
        .with_out({.refusal = out_refusal::kStructured})
        .with_gradient(kBorder),
    pad_record<Border::Replicate, 3>("aten::replication_pad3d(Tensor self, int[6] padding) -> Tensor", kReplicate)
        .with_autocast({.cpu = Autocast::Float32})
        .with_out({.refusal = out_refusal::kStructured})
        .with_gradient(kBorder),
    backward_record<Border::Reflect, 1>(
        "aten::reflection_pad1d_backward(Tensor grad_output, Tensor self, int[2] padding) -> Tensor", kBackward)
        .with_out({.overload = "grad_input", .names = "grad_input"})
        .with_gradient(kBorderOut),
    backward_record<Border::Reflect, 2>(
        "aten::reflection_pad2d_backward(Tensor grad_output, Tensor self, int[4] padding) -> Tensor", kBackward)
        .with_out({.overload = "grad_input", .names = "grad_input"})
        .with_gradient(kBorderOut),
    backward_record<Border::Reflect, 3>(
        "aten::reflection_pad3d_backward(Tensor grad_output, Tensor self, int[6] padding) -> Tensor", kBackward)
        .with_out({.overload = "grad_input", .names = "grad_input"})
        .with_gradient(kBorderOut),
    backward_record<Border::Replicate, 1>(
        "aten::replication_pad1d_backward(Tensor grad_output, Tensor self, int[2] padding) -> Tensor", kBackward)
        .with_out({.overload = "grad_input", .names = "grad_input"})
        .with_gradient(kBorderOut),
    backward_record<Border::Replicate, 2>(
        "aten::replication_pad2d_backward(Tensor grad_output, Tensor self, int[4] padding) -> Tensor", kBackward)
        .with_out({.overload = "grad_input", .names = "grad_input"})
        .with_gradient(kBorderOut),
    backward_record<Border::Replicate, 3>(
        "aten::replication_pad3d_backward(Tensor grad_output, Tensor self, int[6] padding) -> Tensor", kBackward)
        .with_out({.overload = "grad_input", .names = "grad_input"})
        .with_gradient(kBorderOut),
};

}  // namespace

std::span<const OperatorRecord> mirror_pad_records() { return kRecords; }

}  // namespace loupe::joining
