// SPDX-License-Identifier: Apache-2.0
// Elements written or added up where indices say. What meets at one place is added in the order in which it stands, so
// that a result is the same each time.
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/tensor/device_copy.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/index_loops.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

int bytes_of(const Tensor& t) { return static_cast<int>(t.element_size()); }

// The number as an array that is read everywhere.
struct Everywhere {
    Tensor number;
    Dims strides;
    Everywhere(const Tensor& like, const Tensor& index, const Scalar& value)
        : number(empty(std::array{std::int64_t{1}}, like.dtype(), like.device())), strides(sizes_of(index).size(), 0) {
        fill_with(number, value);
    }
};

void write(const char* op, const Tensor& out, std::int64_t dim, const Tensor& index, const Tensor& source,
           const Dims& strides) {
    const Queue queue = queue_of(out.device());
    const Tensor places = as_index(index, out.device());
    const IndexLoop loop = along_dim(out, wrap_dim(dim, out.dim()), places, strides, fault_for(queue, op));
    run_index_write(queue, loop, bytes_of(out), address_of(out), address_of(source));
    check_faults(queue);
}
void gather_into(const char* name, Gathering op, const Tensor& out, std::int64_t dim, const Tensor& index,
                 const Tensor& source, const Dims& strides) {
    const Queue queue = queue_of(out.device());
    const Tensor places = as_index(index, out.device());
    const IndexLoop rows = along_dim(out, wrap_dim(dim, out.dim()), places, strides, fault_for(queue, name));
    Gathered how;
    how.op = op;
    gather_rows(out, rows, {}, how, source, queue);
    check_faults(queue);
}

void start(const Tensor& out, const Tensor& self) {
    if (!out.is_same(self)) copy_into(out, self);
}

void scatter_src(const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src) {
    start(out, self);
    if (index.numel() > 0) write("aten::scatter", out, dim, index, src, strides_of(src));
}
void scatter_value(const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index, const Scalar& value) {
    start(out, self);
    if (index.numel() == 0) return;
    const Everywhere source(out, index, value);
    write("aten::scatter", out, dim, index, source.number, source.strides);
}
void scatter_add(const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src) {
    start(out, self);
    if (index.numel() > 0) gather_into("aten::scatter_add", Gathering::Sum, out, dim, index, src, strides_of(src));
}

Gathering gathering_of(std::string_view name) {
    if (name == "prod") return Gathering::Product;
    if (name == "amax") return Gathering::Greatest;
    return name == "amin" ? Gathering::Least : Gathering::Sum;
}
Scalar neutral(Gathering op, ScalarType dtype) {
    if (op == Gathering::Sum) return 0;
    if (op == Gathering::Product) return 1;
    if (is_integral(dtype)) {
        Scalar limit;
        visit_dtype(dtype, [&]<typename T>(std::type_identity<T>) {
            if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
                limit = static_cast<std::int64_t>(op == Gathering::Greatest ? std::numeric_limits<T>::min()
                                                                            : std::numeric_limits<T>::max());
        });
        return limit;
    }
    const double most = std::numeric_limits<double>::infinity();
    return op == Gathering::Greatest ? -most : most;
}
void scatter_reduce(const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src,
                    std::string_view reduce, bool include_self) {
    start(out, self);
    if (index.numel() == 0) return;
    const Gathering op = gathering_of(reduce);
    if (!include_self) {
        const Everywhere source(out, index, neutral(op, out.dtype()));
        write("aten::scatter_reduce", out, dim, index, source.number, source.strides);
    }
    gather_into("aten::scatter_reduce", op, out, dim, index, src, strides_of(src));
    if (reduce != "mean") return;
    const Tensor count = empty(out.sizes(), out.dtype(), out.device());
    fill_with(count, include_self ? 1 : 0);
    const Everywhere one(count, index, 1);
    gather_into("aten::scatter_reduce", Gathering::Sum, count, dim, index, one.number, one.strides);
    const Tensor divisor = fn::clamp(count, Scalar(1), IValue());
    copy_into(out, is_integral(out.dtype()) ? fn::div_mode(out, divisor, "floor") : fn::div(out, divisor));
}

void scatter_old(const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src,
                 std::string_view reduce) {
    start(out, self);
    if (index.numel() == 0) return;
    gather_into("aten::scatter", reduce == "multiply" ? Gathering::Product : Gathering::Sum, out, dim, index, src,
                strides_of(src));
}
void scatter_value_old(const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index,
                       const Scalar& value, std::string_view reduce) {
    start(out, self);
    if (index.numel() == 0) return;
    const Everywhere source(out, index, value);
    gather_into("aten::scatter", reduce == "multiply" ? Gathering::Product : Gathering::Sum, out, dim, index,
                source.number, source.strides);
}

// Slices of `source`, which has the tensor's rank, at a vector of indices.
void index_copy(const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source) {
    start(out, self);
    if (source.numel() == 0) return;
    const Queue queue = queue_of(out.device());
    const Tensor places = as_index(index, out.device());
    IndexLoop loop =
        slices_of(out, wrap_dim(dim, out.dim()), places, strides_of(source), fault_for(queue, "aten::index_copy"));
    loop.kind = FaultKind::TableRow;
    run_index_write(queue, loop, bytes_of(out), address_of(out), address_of(source));
    check_faults(queue);
}
void index_fill(const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index, const Scalar& value) {
    start(out, self);
    if (index.numel() == 0 || out.numel() == 0) return;
    const Queue queue = queue_of(out.device());
    const Tensor places = as_index(index, out.device());
    const Everywhere source(out, out, value);
    IndexLoop loop =
        slices_of(out, wrap_dim(dim, out.dim()), places, source.strides, fault_for(queue, "aten::index_fill"));
    loop.wraps = true;
    run_index_write(queue, loop, bytes_of(out), address_of(out), address_of(source.number));
    check_faults(queue);
}

// The value is read where it is.
void index_fill_tensor(const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index,
                       const Tensor& value) {
    start(out, self);
    if (index.numel() == 0 || out.numel() == 0) return;
    const Queue queue = queue_of(out.device());
    const Tensor places = as_index(index, out.device());
    const Tensor number = dense(on_device(value, out.device()), out.dtype());
    const Dims strides(sizes_of(out).size(), 0);
    IndexLoop loop = slices_of(out, wrap_dim(dim, out.dim()), places, strides, fault_for(queue, "aten::index_fill"));
    loop.wraps = true;
    run_index_write(queue, loop, bytes_of(out), address_of(out), address_of(number));
    check_faults(queue);
}

// Each row of the loop is one index; the tensor's other dimensions are columns.
void add_slices(const Tensor& out, std::int64_t dim, const Tensor& places, const Tensor& source, const Scalar& alpha) {
    const Queue queue = queue_of(out.device());
    const Dims own = strides_of(out), other = strides_of(source), sizes = sizes_of(out);
    IndexLoop rows;
    rows.fault = fault_for(queue, "aten::index_add");
    rows.kind = FaultKind::TableRow;
    RowColumns columns;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (static_cast<std::int64_t>(d) == dim)
            rows.add_dim(places.numel(), 0, other[d]);
        else
            columns.add_dim(sizes[d], own[d], other[d]);
    }
    const auto along = static_cast<std::size_t>(dim);
    add_index(rows, places, 0, sizes[along], own[along], static_cast<int>(dim));
    Gathered how;
    how.scale = alpha.to<double>();
    how.whole_scale = alpha.is_integral() ? alpha.to<std::int64_t>() : static_cast<std::int64_t>(how.scale);
    gather_rows(out, rows, columns, how, source, queue);
    check_faults(queue);
}
void index_add(const Tensor& out, const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source,
               const Scalar& alpha) {
    start(out, self);
    if (source.numel() > 0) add_slices(out, wrap_dim(dim, out.dim()), as_index(index, out.device()), source, alpha);
}

void embedding_dense_backward(const Tensor& out, const Tensor& grad, const Tensor& indices, std::int64_t,
                              std::int64_t padding_idx, bool scale_grad_by_freq) {
    fill_with(out, 0);
    if (grad.numel() == 0 || out.numel() == 0) return;
    const Queue queue = queue_of(out.device());
    const Tensor places = dense(as_index(indices, out.device())), from = dense(grad);
    const Dims own = strides_of(out);
    const std::int64_t width = out.size(1), size = from.element_size();
    IndexLoop rows;  // indices that are out of bounds count for nothing
    rows.skipped = padding_idx;
    rows.add_dim(places.numel(), 0, width * size);
    const Tensor flat =
        places.view_as_strided(std::array{places.numel()}, std::array{std::int64_t{1}}, places.storage_offset());
    add_index(rows, flat, 0, out.size(0), own[0], 0);
    RowColumns columns;
    columns.add_dim(width, own[1], size);
    Gathered how;
    how.by_count = scale_grad_by_freq;
    gather_rows(out, rows, columns, how, from, queue);
}

bool is_added(ScalarType dtype) { return is_known(dtype) && dtype != ScalarType::Bool; }
bool takes_added(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const ScalarType dtype = a[0].to_tensor().dtype();
    if (!is_added(dtype) && why != nullptr) *why = std::string(dtype_name(dtype)) + " input";
    return is_added(dtype);
}
bool takes_reduced(Arguments a, std::string* why) {
    if (!takes_added(a, why)) return false;
    const ScalarType dtype = a[0].to_tensor().dtype();
    const bool fits = dtype == a[3].to_tensor().dtype() && dtype != ScalarType::Bool && !is_complex(dtype);
    if (!fits && why != nullptr) *why = "mixed dtypes, or one without an order";
    return fits;
}
bool takes_value(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const bool fits = a[3].to_tensor().dim() == 0 && !a[0].to_tensor().device().is_cpu() &&
                      (is_known(a[3].to_tensor().dtype()) || a[3].to_tensor().dtype() == a[0].to_tensor().dtype());
    if (!fits && why != nullptr) *why = "a value that is no number";
    return fits;
}
template <AcceptFunction kMore>
bool takes_slices(Arguments a, std::string* why) {
    if (!kMore(a, why)) return false;
    const bool fits = a[0].to_tensor().dim() == a[3].to_tensor().dim() && a[0].to_tensor().numel() > 0;
    if (!fits && why != nullptr) *why = "source of another rank";
    return fits;
}
bool takes_number(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const bool is_real = is_known(a[0].to_tensor().dtype()) && !a[3].to_scalar().is_complex();
    if (!is_real && why != nullptr) *why = std::string(dtype_name(a[0].to_tensor().dtype())) + " input";
    return is_real;
}

bool takes_added_number(Arguments a, std::string* why) { return takes_added(a, why) && takes_number(a, why); }

}  // namespace

void register_scatters(const Registration& to) {
    to.add("aten::scatter.src", filling<scatter_src>);
    to.add("aten::scatter.value", filling<scatter_value>, takes_number);
    to.add("aten::scatter.reduce", filling<scatter_old>, takes_added);
    to.add("aten::scatter.value_reduce", filling<scatter_value_old>, takes_added_number);
    to.add("aten::scatter_add", filling<scatter_add>, takes_added);
    to.add("aten::scatter_reduce.two", filling<scatter_reduce>, takes_reduced);
    to.add("aten::index_copy", filling<index_copy>, takes_slices<takes>);
    to.add("aten::index_fill.int_Scalar", filling<index_fill>, takes_number);
    to.add("aten::index_add", filling<index_add>, takes_slices<takes_added>);
    to.add("aten::embedding_dense_backward", filling<embedding_dense_backward>, takes_floating<0>);
    to.add("aten::index_fill.int_Tensor", filling<index_fill_tensor>, takes_value);
}

}  // namespace loupe::cuda
