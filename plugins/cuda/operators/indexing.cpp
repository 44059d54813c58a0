// SPDX-License-Identifier: Apache-2.0
// Elements picked by tensors of indices, or by masks.
#include <cmath>

#include "core/base/error.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/ops/indexing/indices.h"
#include "core/tensor/device_copy.h"
#include "plugins/cuda/loops/ordering.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/index_loops.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

int bytes_of(const Tensor& t) { return static_cast<int>(t.element_size()); }

void gather(const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index, bool) {
    if (out.numel() == 0) return;
    const Queue queue = queue_of(self.device());
    const Tensor places = as_index(index, self.device());
    const IndexLoop loop =
        along_dim(self, wrap_dim(dim, self.dim()), places, strides_of(out), fault_for(queue, "aten::gather"));
    run_index_read(queue, loop, bytes_of(self), address_of(self), address_of(out));
    check_faults(queue);
}

void index_select(const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index) {
    if (out.numel() == 0) return;
    const Queue queue = queue_of(self.device());
    const Tensor places = as_index(index, self.device());
    IndexLoop loop =
        slices_of(self, wrap_dim(dim, self.dim()), places, strides_of(out), fault_for(queue, "aten::index_select"));
    loop.kind = FaultKind::TableRow;
    run_index_read(queue, loop, bytes_of(self), address_of(self), address_of(out));
    check_faults(queue);
}

void embedding(const Tensor& out, const Tensor& weight, const Tensor& indices, std::int64_t, bool, bool) {
    if (out.numel() == 0) return;
    const Queue queue = queue_of(weight.device());
    const Tensor rows = as_index(indices, weight.device());
    const Dims own = strides_of(weight), other = strides_of(out);
    IndexLoop loop;
    loop.fault = fault_for(queue, "aten::embedding");
    loop.kind = FaultKind::TableRow;
    for (std::size_t d = 0; d < rows.sizes().size(); ++d) loop.add_dim(rows.sizes()[d], 0, other[d]);
    loop.add_dim(weight.size(1), own[1], other.back());
    add_index(loop, rows, 0, weight.size(0), own[0], 0);
    run_index_read(queue, loop, bytes_of(weight), address_of(weight), address_of(out));
    check_faults(queue);
}

// The loop of an index expression over an array beside it of these strides. `kept` holds its index tensors.
IndexLoop loop_of(const Tensor& self, const indexing::IndexedDims& dims, const Dims& other, Fault* fault,
                  TensorList& kept) {
    const Dims own = strides_of(self);
    IndexLoop loop;
    loop.fault = fault;
    loop.wraps = true;
    std::size_t at = 0;
    for (std::size_t d = 0; d < dims.before; ++d) loop.add_dim(self.sizes()[d], own[d], other[at++]);
    const int first = loop.dims;
    for (const std::int64_t size : dims.shape) loop.add_dim(size, 0, other[at++]);
    for (std::size_t d = 0; d < dims.indices.size(); ++d) {
        if (!dims.indices[d].defined()) continue;
        kept.push_back(fn::expand(as_index(dims.indices[d], self.device()), dims.shape, false));
        add_index(loop, kept.back(), first, self.sizes()[d], own[d], static_cast<int>(d));
    }
    for (std::size_t d = dims.before; d < dims.indices.size(); ++d) {
        if (!dims.indices[d].defined()) loop.add_dim(self.sizes()[d], own[d], other[at++]);
    }
    return loop;
}

Tensor index(const Tensor& self, const TensorList& indices) {
    const indexing::IndexedDims dims = indexing::indexed_dims(self, indices);
    const Tensor out = empty(span_of(dims.sizes), self.dtype(), self.device());
    if (out.numel() == 0) return out;
    const Queue queue = queue_of(self.device());
    TensorList kept;
    const IndexLoop loop = loop_of(self, dims, strides_of(out), fault_for(queue, "aten::index"), kept);
    run_index_read(queue, loop, bytes_of(self), address_of(self), address_of(out));
    check_faults(queue);
    return out;
}

void accumulate(const Tensor& out, const indexing::IndexedDims& dims, const Tensor& source, const Queue& queue) {
    const Dims own = strides_of(out), other = strides_of(source);
    IndexLoop rows;
    rows.fault = fault_for(queue, "aten::index_put");
    rows.wraps = true;
    RowColumns columns;
    std::size_t at = 0;
    for (std::size_t d = 0; d < dims.before; ++d) columns.add_dim(out.sizes()[d], own[d], other[at++]);
    for (const std::int64_t size : dims.shape) rows.add_dim(size, 0, other[at++]);
    TensorList kept;
    for (std::size_t d = 0; d < dims.indices.size(); ++d) {
        if (!dims.indices[d].defined()) continue;
        kept.push_back(fn::expand(as_index(dims.indices[d], out.device()), dims.shape, false));
        add_index(rows, kept.back(), 0, out.sizes()[d], own[d], static_cast<int>(d));
    }
    for (std::size_t d = dims.before; d < dims.indices.size(); ++d) {
        if (!dims.indices[d].defined()) columns.add_dim(out.sizes()[d], own[d], other[at++]);
    }
    gather_rows(out, rows, columns, {}, source, queue);
}

// Sizes and dtypes were checked: takes_put.
void index_put(const Tensor& out, const Tensor& self, const TensorList& indices, const Tensor& values,
               bool accumulates) {
    if (!out.is_same(self)) copy_into(out, self);
    const Device device = out.device();
    const indexing::IndexedDims dims = indexing::indexed_dims(out, indices);
    const Tensor there = values.device() == device ? values : on_device(values, device);
    const Tensor source =
        indexing::expanded_values(there.dtype() == out.dtype() ? there : dense(there, out.dtype()), dims.sizes);
    if (source.numel() == 0) return;
    const Queue queue = queue_of(device);
    if (accumulates) {
        accumulate(out, dims, source, queue);
    } else {
        TensorList kept;
        const IndexLoop loop = loop_of(out, dims, strides_of(source), fault_for(queue, "aten::index_put"), kept);
        run_index_write(queue, loop, bytes_of(out), address_of(out), address_of(source));
    }
    check_faults(queue);
}

std::int64_t rank_after(const TensorList& indices, std::int64_t rank) {
    std::int64_t most = 0;
    for (const Tensor& index : indices) {
        if (index.defined()) most = std::max(most, index.dim());
    }
    return rank + most;
}
bool takes_index(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const Tensor self = a[0].to_tensor();
    const bool fits = self.dim() <= kMaxIndices && rank_after(a[1].to_tensors(), self.dim()) <= kMaxDims;
    if (!fits && why != nullptr) *why = "too many dimensions";
    return fits && !self.device().is_cpu();
}
bool takes_put(Arguments a, std::string* why) {
    if (!takes_index(a, why)) return false;
    const Tensor self = a[0].to_tensor(), values = a[2].to_tensor();
    const bool same = values.dtype() == self.dtype() || (values.dim() == 0 && !is_complex(values.dtype()));
    const bool adds = !a[3].to_bool() || is_known(self.dtype()) || is_complex_element(self.dtype());
    const bool fits = same && adds;
    if (!fits && why != nullptr)
        *why = adds ? "values that do not fit" : std::string(dtype_name(self.dtype())) + " input";
    return fits;
}

// ---- masks

// Places of the elements that are not zero, in row-major order.
Tensor places_of(const Tensor& self) {
    const Tensor x = dense(is_complex(self.dtype()) ? fn::ne_scalar(self, Scalar(0)) : self);
    const std::int64_t count = x.numel();
    if (count == 0) return empty(std::array{std::int64_t{0}}, ScalarType::Int64, self.device());
    const Queue queue = queue_of(self.device());
    // One more, so that the last sum is that of all.
    const Tensor sums = zeros(std::array{count + 1}, ScalarType::Int64, self.device());
    auto* const before = static_cast<std::int64_t*>(address_of(sums));
    run_marks(queue, element_of(x.dtype()), address_of(x), count, before);
    run_sums_before(queue, before, before, count + 1);
    const Tensor last = sums.view_as_strided(IntSpan(), IntSpan(), sums.storage_offset() + count);
    const Tensor places = empty(std::array{item(last).to<std::int64_t>()}, ScalarType::Int64, self.device());
    run_marked_places(queue, element_of(x.dtype()), address_of(x), before, count,
                      static_cast<std::int64_t*>(address_of(places)));
    return places;
}

Tensor nonzero(const Tensor& self) {
    const Tensor places = places_of(self);
    const Tensor out = empty(std::array{places.numel(), self.dim()}, ScalarType::Int64, self.device());
    if (out.numel() == 0) return out;
    run_coordinates(queue_of(self.device()), static_cast<const std::int64_t*>(address_of(places)), places.numel(),
                    static_cast<int>(self.dim()), self.sizes().data(), static_cast<std::int64_t*>(address_of(out)));
    return out;
}

Tensor masked_select(const Tensor& self, const Tensor& mask) {
    const Dims shape = broadcast_shapes(self.sizes(), mask.sizes());
    const Tensor places = places_of(fn::expand(mask, shape, false));
    const Tensor from = dense(fn::expand(self, shape, false));
    const Tensor out = empty(places.sizes(), self.dtype(), self.device());
    if (out.numel() == 0) return out;
    const Queue queue = queue_of(self.device());
    IndexLoop loop;
    loop.add_dim(places.numel(), 0, out.element_size());
    add_index(loop, places, 0, from.numel(), from.element_size(), 0);
    run_index_read(queue, loop, bytes_of(from), address_of(from), address_of(out));
    return out;
}

// The k-th place of the mask gets the k-th element of the source.
void masked_scatter(const Tensor& out, const Tensor& self, const Tensor& mask, const Tensor& source) {
    if (!out.is_same(self)) copy_into(out, self);
    const Tensor places = places_of(fn::expand(mask, to_dims(out.sizes()), false));
    if (places.numel() > source.numel())
        throw Error(ErrorKind::Run, "Number of elements of source < number of ones in mask");
    if (places.numel() == 0) return;
    const Tensor from = dense(source);
    const Room to(out);
    if (!to.tensor().is_same(out)) copy_into(to.tensor(), out);
    IndexLoop loop;
    loop.add_dim(places.numel(), 0, from.element_size());
    add_index(loop, places, 0, out.numel(), out.element_size(), 0);
    run_index_write(queue_of(out.device()), loop, bytes_of(out), address_of(to.tensor()), address_of(from));
    to.put_back();
}

// Rows that are longer than max_norm are shortened; each is looked at once.
Tensor embedding_renorm(const Tensor& self, const Tensor& indices, double max_norm, double norm_type) {
    static const OperatorHandle<fn::ThreeTensors> unique("aten::_unique2");
    if (indices.numel() == 0 || self.numel() == 0) return self;
    const auto wide = static_cast<std::int64_t>(ScalarType::Float64);
    const ScalarType scaled = self.dtype() == ScalarType::Float64 ? ScalarType::Float64 : ScalarType::Float32;
    const Tensor rows = std::get<0>(unique(as_index(indices, self.device()), true, false, false));
    const Tensor held = fn::index_select(self, std::int64_t{0}, rows);
    const Tensor sizes = fn::abs(fn::to_dtype(held, wide));
    const Tensor exact =
        std::isinf(norm_type)
            ? fn::amax(sizes, Dims{1}, true)
            : fn::pow_scalar(fn::sum_dim(fn::pow_scalar(sizes, Scalar(norm_type)), Dims{1}, true, IValue()),
                             Scalar(1 / norm_type));
    // Compared as the table holds it.
    const Tensor norm = fn::to_dtype(fn::to_dtype(exact, static_cast<std::int64_t>(self.dtype())), wide);
    const Tensor most = fn::full_like(norm, Scalar(max_norm));
    const Tensor scale = fn::where(fn::gt_scalar(norm, Scalar(max_norm)),
                                   fn::div(most, fn::add_scalar(norm, Scalar(1e-7), Scalar(1))), fn::ones_like(norm));
    const Tensor shortened = fn::mul(dense(held, scaled), dense(scale, scaled));
    copy_into(self, fn::index_copy(self, std::int64_t{0}, rows, dense(shortened, self.dtype())));
    return self;
}

bool takes_known(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const ScalarType dtype = a[0].to_tensor().dtype();
    const bool is_taken = (is_known(dtype) || is_complex_element(dtype)) && a[0].to_tensor().dim() <= kMaxDims;
    if (!is_taken && why != nullptr) *why = std::string(dtype_name(dtype)) + " input";
    return is_taken;
}
bool takes_masked(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const Tensor self = a[0].to_tensor(), mask = a[1].to_tensor();
    const bool is_mask = mask.dtype() == ScalarType::Bool && self.device() == mask.device();
    if (!is_mask && why != nullptr) *why = std::string(dtype_name(mask.dtype())) + " mask";
    return is_mask;
}

bool takes_masked_source(Arguments a, std::string* why) {
    if (!takes_masked(a, why)) return false;
    const bool fits = a[2].to_tensor().device() == a[0].to_tensor().device() && a[0].to_tensor().dim() <= kMaxDims;
    if (!fits && why != nullptr) *why = "tensors that do not fit";
    return fits;
}
bool takes_table(Arguments a, std::string* why) {
    if (!takes_floating<0>(a, why)) return false;
    const bool is_table = a[0].to_tensor().dim() == 2;
    if (!is_table && why != nullptr) *why = "not a table";
    return is_table;
}

}  // namespace

void register_indexing(const Registration& to) {
    to.add("aten::gather", filling<gather>);
    to.add("aten::index_select", filling<index_select>);
    to.add("aten::embedding", filling<embedding>);
    to.add("aten::index.Tensor", boxed<index>, takes_index);
    to.add("aten::index_put", filling<index_put>, takes_put);
    to.add("aten::nonzero", boxed<nonzero>, takes_known);
    to.add("aten::argwhere", boxed<nonzero>, takes_known);
    to.add("aten::masked_scatter", filling<masked_scatter>, takes_masked_source);
    to.add("aten::embedding_renorm_", boxed<embedding_renorm>, takes_table);
    to.add("aten::masked_select", boxed<masked_select>, takes_masked);
}

}  // namespace loupe::cuda
