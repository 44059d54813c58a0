// SPDX-License-Identifier: Apache-2.0
// index_reduce: slices multiplied, averaged or compared at indices along one dimension.

#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/out_refusals.h"
#include "core/ops/indexing/family.h"
#include "core/ops/samples.h"

namespace loupe::indexing {
namespace {

const OperatorHandle<> scatter_reduce("aten::scatter_reduce.two");

void require(bool holds, const std::string& message) {
    if (!holds) throw Error(ErrorKind::Run, concat("index_reduce_(): ", message));
}

void check(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source, std::string_view reduce) {
    if (reduce != "prod" && reduce != "mean" && reduce != "amax" && reduce != "amin") {
        throw Error(
            ErrorKind::Run,
            concat("index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got ", reduce, "."));
    }
    require(index.dim() <= 1, concat("Index is supposed to be a vector, but got dim: ", index.dim(), " with type: ",
                                     dtype_graph_name(index.dtype()), " and size: ", shape_list_text(index.sizes())));
    require(index.dtype() == ScalarType::Int64 || index.dtype() == ScalarType::Int32,
            concat("Expected dtype int32/int64 for index but got: ", dtype_graph_name(index.dtype())));
    require(self.dtype() == source.dtype(),
            concat("self (", dtype_graph_name(self.dtype()), ") and source (", dtype_graph_name(source.dtype()),
                   ") must have the same scalar type"));
    const std::int64_t slices = source.dim() == 0 ? 1 : source.size(wrap_dim(dim, source.dim()));
    require(index.numel() == slices, concat("Number of indices (", index.numel(),
                                            ") should be equal to source.size(dim): (", slices, "), for dim: ", dim));
}

// PyTorch multiplies slices in any dtype, and has nothing else for floats of eight bits.
Tensor multiplied_slices(const Tensor& self, std::int64_t along, const Tensor& index, const Tensor& source,
                         std::string_view reduce, bool include_self) {
    const auto refuse = [&](std::string_view kernel) {
        throw Error(ErrorKind::Run,
                    concat("\"", kernel, "\" not implemented for '", dtype_graph_name(self.dtype()), "'"));
    };
    if (!include_self) refuse("index_reduce_func_exclude_input_init");
    if (self.dim() <= 1) refuse("index_func_");
    if (reduce != "prod") refuse(reduce == "mean" ? "add_stub" : reduce == "amax" ? "maximum_cpu" : "minimum_cpu");
    const Tensor out = fn::clone(self, IValue());
    for (std::int64_t i = 0; i < index.numel(); ++i) {
        const std::int64_t place = item(fn::select(fn::reshape(index, Dims{-1}), 0, i)).to_int();
        const Tensor slice = fn::select(out, along, place);
        fn::copy_(slice, fn::mul(slice, fn::select(source, along, i)), false);
    }
    return out;
}

Tensor index_reduce(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source,
                    std::string_view reduce, bool include_self) {
    const std::int64_t along = wrap_dim(dim, self.dim());
    check(self, along, index, source, reduce);
    if (is_floating(self.dtype()) && element_size(self.dtype()) == 1)
        return multiplied_slices(self, along, index, source, reduce, include_self);
    Dims sizes(static_cast<std::size_t>(std::max<std::int64_t>(source.dim(), 1)), 1);
    sizes[static_cast<std::size_t>(along)] = -1;
    const Tensor positions = fn::to_dtype(index, static_cast<std::int64_t>(ScalarType::Int64));
    const Tensor lines = source.dim() == 0 ? fn::reshape(source, Dims{1}) : source;
    const Tensor spread = fn::expand(fn::reshape(positions, sizes), to_dims(lines.sizes()), false);
    const Tensor target = self.dim() == 0 ? fn::reshape(self, Dims{1}) : self;
    const Tensor result = scatter_reduce(target, along, spread, lines, reduce, include_self);
    return self.dim() == 0 ? fn::reshape(result, Dims{}) : result;
}

Tensor index_reduce_in_place(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source,
                             std::string_view reduce, bool include_self) {
    return fn::copy_(self, index_reduce(self, dim, index, source, reduce, include_self), false);
}

std::vector<Sample> index_reduce_samples(Random& random, ScalarType dtype) {
    if (is_complex(dtype) || dtype == ScalarType::Bool) return {};
    std::vector<Sample> samples;
    for (const char* reduce : {"prod", "mean", "amax", "amin"}) {
        samples.push_back({{random_ladder(random, {4, 3}, dtype), 0, tensor_of<std::int64_t>({2, 0, 2}, {3}),
                            random_ladder(random, {3, 3}, dtype), reduce, true},
                           reduce});
    }
    return samples;
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool "
               "include_self=True) -> Tensor",
     .summary = "A copy whose slices at the indices along dim are multiplied, averaged or compared with the source's.",
     .composite = boxed<index_reduce>,
     .samples = index_reduce_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kStructured}},
    {.schema = "aten::index_reduce_(Tensor(a!) self, int dim, Tensor index, Tensor source, str reduce, *, bool "
               "include_self=True) -> "
               "Tensor(a!)",
     .summary = "The same as index_reduce, in place.",
     .composite = boxed<index_reduce_in_place>},
};

}  // namespace

std::span<const OperatorRecord> index_reduce_records() { return kRecords; }

}  // namespace loupe::indexing
