// SPDX-License-Identifier: Apache-2.0
// One tensor as several: split, chunk, unbind.

#include <algorithm>

#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/integer_math.h"
#include "core/ops/samples.h"
#include "core/ops/view/family.h"
#include "core/ops/view/slicing.h"
#include "core/tensor/memory_limit.h"

namespace loupe::views {
namespace {

TensorList cut(const Tensor& self, const Dims& lengths, std::int64_t dim) {
    TensorList parts;
    parts.reserve(lengths.size());
    std::int64_t start = 0;
    for (const std::int64_t length : lengths) {
        parts.push_back(detail::apply_geometry(self, slice(self, dim, start, start + length, 1)));
        start += length;
    }
    return parts;
}

constexpr std::size_t kViewBytes = sizeof(TensorImpl) + sizeof(IValue);

// Pieces of one length but for the last.
Dims even_lengths(std::int64_t size, std::int64_t length) {
    length = std::min(length, std::max<std::int64_t>(size, 1));  // longer ones are equivalent
    const std::int64_t count = length == 0 ? 1 : std::max<std::int64_t>((size + length - 1) / length, 1);
    Dims lengths(static_cast<std::size_t>(count), length);
    lengths.back() = length - (length * count - size);
    return lengths;
}
Dims split_lengths(IntSpan sizes, std::int64_t length, std::int64_t dim) {
    if (sizes.empty()) throw Error(ErrorKind::Run, "split expects at least a 1-dimensional tensor");
    if (length < 0) {
        throw Error(ErrorKind::Run, concat("split expects split_size be non-negative, but got split_size=", length));
    }
    const std::int64_t size = sizes[static_cast<std::size_t>(wrap_dim(dim, static_cast<std::int64_t>(sizes.size())))];
    if (length == 0 && size != 0) {
        throw Error(ErrorKind::Run,
                    concat("split_size can only be 0 if dimension size is 0, but got dimension size of ", size));
    }
    return even_lengths(size, length);
}
TensorList split(const Tensor& self, std::int64_t length, std::int64_t dim) {
    return cut(self, split_lengths(self.sizes(), length, dim), dim);
}

TensorList split_with_sizes(const Tensor& self, const Dims& lengths, std::int64_t dim) {
    if (self.dim() == 0) throw Error(ErrorKind::Run, "split expects at least a 1-dimensional tensor");
    const std::int64_t size = self.size(dim);
    std::int64_t sum = 0;
    for (const std::int64_t length : lengths) {
        if (length < 0) {
            throw Error(ErrorKind::Run,
                        concat("split_with_sizes expects split_sizes have only non-negative entries, but got "
                               "split_sizes=",
                               shape_list_text(span_of(lengths))));
        }
        sum = checked_sum(sum, length);
    }
    if (sum != size) {
        throw Error(ErrorKind::Run, concat("split_with_sizes expects split_sizes to sum exactly to ", size,
                                           " (input tensor's size at dimension ", dim,
                                           "), but got split_sizes=", shape_list_text(span_of(lengths))));
    }
    return cut(self, lengths, dim);
}

// The pieces' gradients concatenated, zeros where undefined.
Tensor joined(GradientContext& context, std::size_t count, std::int64_t dim) {
    TensorList grads;
    for (std::size_t i = 0; i < count; ++i) grads.push_back(context.grad_output_or_zeros(i));
    return fn::cat(grads, dim);
}
void split_backward(GradientContext& context) {
    context.grad("self", [&] {
        const std::int64_t dim = context.value("dim").to_int();
        return joined(context, split_lengths(context.sizes("self"), context.value("split_size").to_int(), dim).size(),
                      dim);
    });
}
void split_with_sizes_backward(GradientContext& context) {
    context.grad("self", [&] {
        return joined(context, context.value("split_sizes").to_ints().size(), context.value("dim").to_int());
    });
}

TensorList unbind(const Tensor& self, std::int64_t dim) {
    if (self.dim() == 0) throw Error(ErrorKind::Run, "Dimension specified as 0 but tensor has no dimensions");
    TensorList parts;
    for (std::int64_t i = 0; i < self.size(dim); ++i) {
        parts.push_back(detail::apply_geometry(self, select(self, dim, i)));
    }
    return parts;
}
void unbind_backward(GradientContext& context) {
    context.grad("self", [&] {
        const IntSpan sizes = context.sizes("self");
        const std::int64_t dim = wrap_dim(context.value("dim").to_int(), static_cast<std::int64_t>(sizes.size()));
        TensorList grads;
        for (std::int64_t i = 0; i < sizes[static_cast<std::size_t>(dim)]; ++i) {
            grads.push_back(context.grad_output_or_zeros(static_cast<std::size_t>(i)));
        }
        return fn::stack(grads, dim);
    });
}

TensorList chunk(const Tensor& self, std::int64_t chunks, std::int64_t dim) {
    if (self.dim() == 0) throw Error(ErrorKind::Run, "chunk expects at least a 1-dimensional tensor");
    if (chunks <= 0) throw Error(ErrorKind::Run, concat("chunk expects `chunks` to be greater than 0, got: ", chunks));
    const std::int64_t size = self.size(dim);
    // An empty dimension gives the requested number of empty chunks.
    if (size == 0) require_memory(chunks, kViewBytes);
    if (size == 0) return fn::split_with_sizes(self, Dims(static_cast<std::size_t>(chunks), 0), dim);
    return fn::split(self, (size - 1) / chunks + 1, dim);
}
TensorList unsafe_chunk(const Tensor& self, std::int64_t chunks, std::int64_t dim) {
    if (self.dim() == 0) throw Error(ErrorKind::Run, "chunk expects at least a 1-dimensional tensor");
    if (chunks <= 0) throw Error(ErrorKind::Run, concat("chunk expects `chunks` to be greater than 0, got: ", chunks));
    const std::int64_t size = self.size(dim);
    if (size == 0) require_memory(chunks, kViewBytes);
    if (size == 0) return fn::unsafe_split_with_sizes(self, Dims(static_cast<std::size_t>(chunks), 0), dim);
    return fn::unsafe_split(self, (size - 1) / chunks + 1, dim);
}
TensorList split_sizes(const Tensor& self, const Dims& lengths, std::int64_t dim) {
    return fn::split_with_sizes(self, lengths, dim);
}

TensorList tensor_split(const Tensor& self, std::int64_t sections, std::int64_t dim) {
    if (self.dim() == 0) {
        throw Error(ErrorKind::Run,
                    "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
    }
    if (sections <= 0) throw Error(ErrorKind::Run, concat("number of sections must be larger than 0, got ", sections));
    require_memory(sections, kViewBytes);
    const std::int64_t wrapped = wrap_dim(dim, self.dim());
    const std::int64_t size = self.size(wrapped);
    TensorList parts;
    std::int64_t start = 0;
    for (std::int64_t i = 0; i < sections; ++i) {
        const std::int64_t end = start + size / sections + (i < size % sections ? 1 : 0);
        parts.push_back(fn::slice(self, wrapped, start, end, 1));
        start = end;
    }
    return parts;
}
TensorList tensor_split_at(const Tensor& self, const Dims& indices, std::int64_t dim) {
    if (self.dim() == 0) {
        throw Error(ErrorKind::Run,
                    "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
    }
    const std::int64_t wrapped = wrap_dim(dim, self.dim());
    TensorList parts;
    std::int64_t start = 0;
    for (const std::int64_t end : indices) {
        parts.push_back(fn::slice(self, wrapped, start, end, 1));
        start = end;
    }
    parts.push_back(fn::slice(self, wrapped, start, self.size(wrapped), 1));
    return parts;
}
TensorList tensor_split_by_tensor(const Tensor& self, const Tensor& where, std::int64_t dim) {
    if (where.dtype() != ScalarType::Int64 || where.dim() > 1) {
        throw Error(ErrorKind::Run,
                    "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or "
                    "one-dimensional int64 tensor");
    }
    if (where.dim() == 0) return tensor_split(self, item(where).to_int(), dim);
    Dims indices;
    for (std::int64_t i = 0; i < where.numel(); ++i)
        indices.push_back(where.data<std::int64_t>()[i * where.strides()[0]]);
    return tensor_split_at(self, indices, dim);
}

// hsplit, vsplit, dsplit: along dimension 1, 0 and 2.
void check_even(const Tensor& self, const char* name, std::int64_t least, std::int64_t dim, std::int64_t sections) {
    if (self.dim() < least) {
        throw Error(ErrorKind::Run, concat("torch.", name, " requires a tensor with at least ", least,
                                           " dimension, but got a tensor with ", self.dim(), " dimensions!"));
    }
    if (sections == 0 || self.size(dim) % sections != 0) {
        throw Error(ErrorKind::Run, concat("torch.", name, " attempted to split along dimension ", dim,
                                           ", but the size of the dimension ", self.size(dim),
                                           " is not divisible by the split_size ", sections, "!"));
    }
}
TensorList hsplit(const Tensor& self, std::int64_t sections) {
    const std::int64_t dim = self.dim() == 1 ? 0 : 1;
    check_even(self, "hsplit", 1, dim, sections);
    return tensor_split(self, sections, dim);
}
TensorList hsplit_at(const Tensor& self, const Dims& indices) {
    return tensor_split_at(self, indices, self.dim() == 1 ? 0 : 1);
}
TensorList vsplit(const Tensor& self, std::int64_t sections) {
    check_even(self, "vsplit", 2, 0, sections);
    return tensor_split(self, sections, 0);
}
TensorList vsplit_at(const Tensor& self, const Dims& indices) { return tensor_split_at(self, indices, 0); }
TensorList dsplit(const Tensor& self, std::int64_t sections) {
    check_even(self, "dsplit", 3, 2, sections);
    return tensor_split(self, sections, 2);
}
TensorList dsplit_at(const Tensor& self, const Dims& indices) { return tensor_split_at(self, indices, 2); }

std::vector<Sample> split_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 7}, dtype), 3, 1}}};
}
std::vector<Sample> split_sizes_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 7}, dtype), Dims{1, 4, 2}, 1}}};
}
std::vector<Sample> unbind_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 4}, dtype), -1}}};
}

constexpr std::string_view kPieces = "self: the gradients of the pieces, one after another; 0 where none came";

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::split.Tensor(Tensor(a -> *) self, int split_size, int dim=0) -> Tensor(a)[]",
     .summary = "Pieces of split_size along dim; the last may be shorter.",
     .kernel = boxed<split>,
     .derivative = {split_backward},
     .gradient = kPieces,
     .samples = split_samples,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::split_with_sizes(Tensor(a -> *) self, int[] split_sizes, int dim=0) -> Tensor(a)[]",
     .summary = "Pieces of those sizes along dim.",
     .kernel = boxed<split_with_sizes>,
     .derivative = {split_with_sizes_backward},
     .gradient = kPieces,
     .samples = split_sizes_samples,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::unsafe_split.Tensor(Tensor self, int split_size, int dim=0) -> Tensor[]",
     .summary = "As split, but the pieces may be written in place one by one.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<split>,
     .derivative = {split_backward},
     .gradient = kPieces,
     .samples = split_samples,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::unsafe_split_with_sizes(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]",
     .summary = "As split_with_sizes, but the pieces may be written in place one by one.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<split_with_sizes>,
     .derivative = {split_with_sizes_backward},
     .gradient = kPieces,
     .samples = split_sizes_samples,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::split(Tensor(a -> *) self, int[] split_sizes, int dim=0) -> Tensor(a)[]",
     .summary = "Pieces of those sizes along dim.",
     .composite = boxed<split_sizes>},
    {.schema = "aten::split.sizes(Tensor(a -> *) self, int[] split_size, int dim=0) -> Tensor(a)[]",
     .summary = "Pieces of those sizes along dim.",
     .composite = boxed<split_sizes>},
    {.schema = "aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]",
     .summary = "The parts at each index of dim.",
     .kernel = boxed<unbind>,
     .derivative = {unbind_backward},
     .gradient = kPieces,
     .samples = unbind_samples,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]",
     .summary = "At most that many pieces of one size along dim; the last may be shorter.",
     .composite = boxed<chunk>,
     .gradient = kPieces,
     .samples = split_samples},
    {.schema = "aten::unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]",
     .summary = "As chunk, but the pieces may be written in place one by one.",
     .composite = boxed<unsafe_chunk>},
    {.schema = "aten::tensor_split.sections(Tensor(a -> *) self, int sections, int dim=0) -> Tensor(a)[]",
     .summary = "That many pieces along dim, of sizes as equal as can be.",
     .composite = boxed<tensor_split>,
     .samples = split_samples},
    {.schema = "aten::tensor_split.indices(Tensor(a -> *) self, int[] indices, int dim=0) -> Tensor(a)[]",
     .summary = "Cut before the indices along dim.",
     .composite = boxed<tensor_split_at>},
    {.schema = "aten::tensor_split.tensor_indices_or_sections(Tensor(a -> *) self, Tensor tensor_indices_or_sections, "
               "int dim=0) -> Tensor(a)[]",
     .summary = "Cut into as many pieces, or before the indices, as the tensor says.",
     .results_from = ResultsFrom::Elements,
     .composite = boxed<tensor_split_by_tensor>,
     .placement = Placement::Host},
    {.schema = "aten::hsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]",
     .summary = "Equal pieces side by side.",
     .composite = boxed<hsplit>},
    {.schema = "aten::hsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]",
     .summary = "Cut before those columns.",
     .composite = boxed<hsplit_at>},
    {.schema = "aten::vsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]",
     .summary = "Equal pieces one under the other.",
     .composite = boxed<vsplit>},
    {.schema = "aten::vsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]",
     .summary = "Cut before those rows.",
     .composite = boxed<vsplit_at>},
    {.schema = "aten::dsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]",
     .summary = "Equal pieces one behind the other.",
     .composite = boxed<dsplit>},
    {.schema = "aten::dsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]",
     .summary = "Cut before those layers.",
     .composite = boxed<dsplit_at>},
};

}  // namespace

std::span<const OperatorRecord> split_records() { return kRecords; }

}  // namespace loupe::views
