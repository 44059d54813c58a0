// SPDX-License-Identifier: Apache-2.0
// The operators that were made for sparse tensors.

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/ops/sparse/compressed.h"
#include "core/ops/sparse/family.h"
#include "core/ops/sparse/sparse.h"
#include "core/tensor/device_copy.h"

namespace loupe {
namespace {

[[noreturn]] void run_error(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

const CoordinateParts& parts_of(const Tensor& t, const char* function) {
    if (!is_coordinate(t)) {
        throw Error(ErrorKind::Unsupported,
                    concat(function, " expected sparse coordinate tensor layout but got Strided"));
    }
    return coordinate_parts(t);
}
void require_coalesced(const CoordinateParts& parts, const char* what) {
    if (parts.is_coalesced) return;
    run_error(concat("Cannot get ", what, " on an uncoalesced tensor, please call .coalesce() first"));
}

constexpr std::int64_t kSparseLayout = 1;  // torch.sparse_coo

Tensor coalesce(const Tensor& self) {
    parts_of(self, "coalesce");
    return coalesced(self);
}
bool is_coalesced(const Tensor& self) { return parts_of(self, "is_coalesced").is_coalesced; }
Tensor indices(const Tensor& self) {
    require_coalesced(parts_of(self, "indices"), "indices");
    return loupe::detach(coordinate_parts(self).indices);
}
Tensor values(const Tensor& self) {
    if (is_compressed(self)) return fn::alias(compressed_parts(self).values);
    require_coalesced(parts_of(self, "values"), "values");
    return loupe::detach(coordinate_parts(self).values);
}
Tensor own_indices(const Tensor& self) { return loupe::detach(parts_of(self, "_indices").indices); }
Tensor own_values(const Tensor& self) { return loupe::detach(parts_of(self, "_values").values); }
std::int64_t entries(const Tensor& self) {
    if (is_compressed(self)) return compressed_parts(self).entries();
    return parts_of(self, "_nnz").entries();
}
std::int64_t sparse_dim(const Tensor& self) {
    if (is_compressed(self)) return 2;
    return parts_of(self, "sparse_dim").sparse_dim();
}
std::int64_t dense_dim(const Tensor& self) {
    if (is_compressed(self)) return compressed_parts(self).dense_dim();
    return parts_of(self, "dense_dim").dense_dim();
}
Tensor dense(const Tensor& self, std::optional<ScalarType> dtype) {
    const Tensor out = to_dense(self);
    return dtype ? fn::to_dtype(out, static_cast<std::int64_t>(*dtype)) : out;
}
Tensor to_sparse(const Tensor& self, std::optional<std::int64_t> layout, const std::optional<Dims>& block,
                 std::optional<std::int64_t> dense_dim) {
    if (layout) {
        if (const auto compressed = compressed_layout(*layout))
            return to_compressed(self, *compressed, block.value_or(Dims{}), dense_dim.value_or(0));
        if (*layout != kSparseLayout) run_error(concat("to_sparse: no sparse layout has the number ", *layout));
    }
    if (is_compressed(self)) return compressed_to_coordinate(self);
    if (self.is_sparse()) return self;
    const Tensor places = fn::nonzero(self);
    Dims steps = contiguous_strides(self.sizes());
    const Dims step_sizes{self.dim()};
    const Tensor flat = fn::sum_dim(
        fn::mul(places,
                on_device(tensor_of(std::span<const std::int64_t>(steps.data(), steps.size()), span_of(step_sizes)),
                          self.device())),
        Dims{1}, false);
    const Tensor elements = fn::index_select(fn::reshape(loupe::detach(self), Dims{-1}), 0, flat);
    return make_sparse(fn::contiguous(fn::t(places), 0), elements, self.sizes(), true);
}

Tensor made(const Tensor& given_indices, const Tensor& given_values, IntSpan sizes, std::optional<ScalarType> dtype) {
    const Tensor own_values = dtype ? fn::to_dtype(given_values, static_cast<std::int64_t>(*dtype)) : given_values;
    const Tensor places = fn::to_dtype(given_indices, static_cast<std::int64_t>(ScalarType::Int64));
    for (std::int64_t d = 0; d < places.size(0) && places.size(1) > 0; ++d) {
        const Tensor row = fn::select(places, 0, d);
        const std::int64_t least = item(fn::amin(row, Dims{}, false)).to_int(),
                           most = item(fn::amax(row, Dims{}, false)).to_int();
        if (least < 0) run_error(concat("found negative index ", least, " for dim ", d));
        if (most >= sizes[static_cast<std::size_t>(d)]) {
            run_error(concat("size is inconsistent with indices: for dim ", d, ", size is ",
                             sizes[static_cast<std::size_t>(d)], " but found index ", most));
        }
    }
    return make_sparse(places, own_values, sizes);
}
Tensor made_with_size(const Tensor& given_indices, const Tensor& given_values, const Dims& size,
                      std::optional<ScalarType> dtype, const IValue&, const IValue&, const IValue&) {
    if (given_indices.dim() != 2) {
        run_error(concat("indices must be sparse_dim x nnz, but got: ", shape_list_text(given_indices.sizes())));
    }
    return made(given_indices, given_values, span_of(size), dtype);
}
Tensor made_without_size(const Tensor& given_indices, const Tensor& given_values, std::optional<ScalarType> dtype,
                         const IValue&, const IValue&, const IValue&) {
    if (given_indices.dim() != 2) {
        run_error(concat("indices must be sparse_dim x nnz, but got: ", shape_list_text(given_indices.sizes())));
    }
    Dims sizes;
    for (std::int64_t d = 0; d < given_indices.size(0); ++d) {
        const Tensor row = fn::select(given_indices, 0, d);
        sizes.push_back(row.numel() == 0 ? 0 : item(fn::amax(row, Dims{}, false)).to_int() + 1);
    }
    for (std::int64_t d = 1; d < given_values.dim(); ++d) sizes.push_back(given_values.size(d));
    return made(given_indices, given_values, span_of(sizes), dtype);
}
Tensor sparse_mask(const Tensor& self, const Tensor& mask) {
    parts_of(mask, "sparse_mask");
    return elements_at(self, mask);
}

Tensor embedding_sparse_backward(const Tensor& given_grad, const Tensor& given_indices, std::int64_t num_weights,
                                 std::int64_t padding_idx, bool scale_grad_by_freq) {
    if (scale_grad_by_freq) run_error("embedding_backward: scale_grad_by_freq not supported with sparse gradients");
    const std::int64_t width = given_grad.size(-1);
    Tensor rows = fn::reshape(fn::to_dtype(given_indices, static_cast<std::int64_t>(ScalarType::Int64)), Dims{-1});
    Tensor grad = fn::reshape(given_grad, Dims{-1, width});
    if (padding_idx != -1) {
        const Tensor kept = fn::flatten(fn::nonzero(fn::ne_scalar(rows, Scalar(padding_idx))), 0, -1);
        rows = fn::index_select(rows, 0, kept);
        grad = fn::index_select(grad, 0, kept);
    }
    const Dims sizes{num_weights, width};
    return make_sparse(fn::unsqueeze(rows, 0), grad, span_of(sizes));
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::coalesce(Tensor(a) self) -> Tensor(a)",
     .summary = "The entries in order, those of the same indices added.",
     .kernel = boxed<coalesce>,
     .is_gradient_stop = true,
     .sparse = {.as_is = true}},
    {.schema = "aten::is_coalesced(Tensor self) -> bool",
     .summary = "Are the entries in order, each index once?",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<is_coalesced>,
     .placement = Placement::Anywhere,
     .sparse = {.as_is = true},
     .dtypes = {kAnyDtype}},
    {.schema = "aten::indices(Tensor(a) self) -> Tensor(a)",
     .summary = "The indices of a coalesced sparse tensor.",
     .kernel = boxed<indices>,
     .is_gradient_stop = true,
     .sparse = {.as_is = true}},
    {.schema = "aten::values(Tensor(a) self) -> Tensor(a)",
     .summary = "The values of a coalesced sparse tensor.",
     .kernel = boxed<values>,
     .is_gradient_stop = true,
     .sparse = {.as_is = true}},
    {.schema = "aten::_indices(Tensor(a) self) -> Tensor(a)",
     .summary = "The indices as they are kept.",
     .kernel = boxed<own_indices>,
     .is_gradient_stop = true,
     .sparse = {.as_is = true}},
    {.schema = "aten::_values(Tensor(a) self) -> Tensor(a)",
     .summary = "The values as they are kept.",
     .kernel = boxed<own_values>,
     .is_gradient_stop = true,
     .sparse = {.as_is = true}},
    {.schema = "aten::_nnz(Tensor self) -> int",
     .summary = "How many entries are kept.",
     .kernel = boxed<entries>,
     .placement = Placement::Anywhere,
     .sparse = {.as_is = true},
     .dtypes = {kAnyDtype}},
    {.schema = "aten::sparse_dim(Tensor self) -> int",
     .summary = "How many dimensions have indices.",
     .kernel = boxed<sparse_dim>,
     .placement = Placement::Anywhere,
     .sparse = {.as_is = true},
     .dtypes = {kAnyDtype}},
    {.schema = "aten::dense_dim(Tensor self) -> int",
     .summary = "How many dimensions the values have.",
     .kernel = boxed<dense_dim>,
     .placement = Placement::Anywhere,
     .sparse = {.as_is = true},
     .dtypes = {kAnyDtype}},
    {.schema = "aten::to_dense(Tensor self, ScalarType? dtype=None) -> Tensor",
     .summary = "The same elements in a dense tensor.",
     .kernel = boxed<dense>,
     .is_gradient_stop = true,
     .sparse = {.as_is = true},
     .dtypes = {kAnyDtype}},
    {.schema = "aten::to_sparse(Tensor self, *, Layout? layout=None, int[2]? blocksize=None, int? dense_dim=None) -> "
               "Tensor",
     .summary = "The elements that are not zero, with their indices.",
     .kernel = boxed<to_sparse>,
     .is_gradient_stop = true,
     .sparse = {.as_is = true}},
    {.schema = "aten::sparse_coo_tensor.indices(Tensor indices, Tensor values, *, ScalarType? "
               "dtype=None, Layout? layout=None, Device? device=None, "
               "bool? pin_memory=None) -> Tensor",
     .summary = "The sparse tensor with these values at these indices.",
     .kernel = boxed<made_without_size>,
     .is_gradient_stop = true,
     .sparse = {.as_is = true}},
    {.schema =
         "aten::sparse_coo_tensor.indices_size(Tensor indices, Tensor values, int[] size, *, ScalarType? dtype=None, "
         "Layout? layout=None, "
         "Device? device=None, bool? pin_memory=None) -> Tensor",
     .summary = "The sparse tensor of that size with these values at these indices.",
     .kernel = boxed<made_with_size>,
     .is_gradient_stop = true,
     .sparse = {.as_is = true}},
    {.schema = "aten::sparse_mask(Tensor self, Tensor mask) -> Tensor",
     .summary = "The elements of a dense tensor at the indices of a sparse one.",
     .kernel = boxed<sparse_mask>,
     .is_gradient_stop = true,
     .placement = Placement::Mixed,
     .sparse = {.as_is = true}},
    {.schema = "aten::embedding_sparse_backward(Tensor grad, Tensor indices, int "
               "num_weights, int padding_idx, bool scale_grad_by_freq) -> Tensor",
     .summary = "The gradient of embedding with a row an index, not added.",
     .kernel = boxed<embedding_sparse_backward>,
     .is_gradient_stop = true,
     .sparse = {.as_is = true}},
};

}  // namespace

std::span<const OperatorRecord> sparse_ops::coordinate_records() { return kRecords; }

}  // namespace loupe
