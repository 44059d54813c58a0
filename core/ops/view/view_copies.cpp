// SPDX-License-Identifier: Apache-2.0
// The copying forms of the view operators.

#include "core/dispatch/functions.h"
#include "core/ops/view/family.h"

namespace loupe::views {
namespace {

void call_view(const char* name, Arguments arguments, IValue* result) {
    call_operator(detail::operator_or_throw(name), arguments, result);
}
template <const char* Name>
void copy_view(Arguments arguments, IValue* results) {
    call_view(Name, arguments, results);
    results[0] = IValue(fn::clone(results[0].to_tensor()));
}
template <const char* Name>
void copy_views(Arguments arguments, IValue* results) {
    call_view(Name, arguments, results);
    TensorList copies;
    for (const Tensor& view : results[0].to_tensors()) copies.push_back(fn::clone(view));
    results[0] = IValue(copies);
}

constexpr char kView[] = "aten::view";
constexpr char kExpand[] = "aten::expand";
constexpr char kPermute[] = "aten::permute";
constexpr char kAsStrided[] = "aten::as_strided";
constexpr char kTransposeInt[] = "aten::transpose.int";
constexpr char kSqueeze[] = "aten::squeeze";
constexpr char kSqueezeDim[] = "aten::squeeze.dim";
constexpr char kUnsqueeze[] = "aten::unsqueeze";
constexpr char kT[] = "aten::t";
constexpr char kDetach[] = "aten::detach";
constexpr char kAlias[] = "aten::alias";
constexpr char kSelectInt[] = "aten::select.int";
constexpr char kSliceTensor[] = "aten::slice.Tensor";
constexpr char kUnfold[] = "aten::unfold";
constexpr char kDiagonal[] = "aten::diagonal";
constexpr char kViewAsReal[] = "aten::view_as_real";
constexpr char kViewAsComplex[] = "aten::view_as_complex";
constexpr char kReshapeAlias[] = "aten::_reshape_alias";
constexpr char kSplitTensor[] = "aten::split.Tensor";
constexpr char kSplitWithSizes[] = "aten::split_with_sizes";
constexpr char kUnbindInt[] = "aten::unbind.int";
constexpr char kNarrow[] = "aten::narrow";
constexpr char kReshape[] = "aten::reshape";
constexpr char kFlattenUsingInts[] = "aten::flatten.using_ints";
constexpr char kExpandAs[] = "aten::expand_as";

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::view_copy(Tensor self, SymInt[] size) -> Tensor",
     .summary = "A copy of the view that view gives.",
     .composite = copy_view<kView>,
     .variants = kOut},
    {.schema = "aten::expand_copy(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor",
     .summary = "A copy of the view that expand gives.",
     .composite = copy_view<kExpand>,
     .variants = kOut},
    {.schema = "aten::permute_copy(Tensor self, int[] dims) -> Tensor",
     .summary = "A copy of the view that permute gives.",
     .composite = copy_view<kPermute>,
     .variants = kOut},
    {.schema =
         "aten::as_strided_copy(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor",
     .summary = "A copy of the view that as_strided gives.",
     .composite = copy_view<kAsStrided>,
     .variants = kOut},
    {.schema = "aten::transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor",
     .summary = "A copy of the view that transpose gives.",
     .composite = copy_view<kTransposeInt>,
     .variants = kOut,
     .out = {.overload = "int_out"}},
    {.schema = "aten::squeeze_copy(Tensor self) -> Tensor",
     .summary = "A copy of the view that squeeze gives.",
     .composite = copy_view<kSqueeze>,
     .variants = kOut},
    {.schema = "aten::squeeze_copy.dim(Tensor self, int dim) -> Tensor",
     .summary = "A copy of the view that squeeze gives.",
     .composite = copy_view<kSqueezeDim>,
     .variants = kOut,
     .out = {.overload = "dim_out"}},
    {.schema = "aten::unsqueeze_copy(Tensor self, int dim) -> Tensor",
     .summary = "A copy of the view that unsqueeze gives.",
     .composite = copy_view<kUnsqueeze>,
     .variants = kOut},
    {.schema = "aten::t_copy(Tensor self) -> Tensor",
     .summary = "A copy of the view that t gives.",
     .composite = copy_view<kT>,
     .variants = kOut},
    {.schema = "aten::detach_copy(Tensor self) -> Tensor",
     .summary = "A copy of the view that detach gives.",
     .composite = copy_view<kDetach>,
     .variants = kOut},
    {.schema = "aten::alias_copy(Tensor self) -> Tensor",
     .summary = "A copy of the view that alias gives.",
     .composite = copy_view<kAlias>,
     .variants = kOut},
    {.schema = "aten::select_copy.int(Tensor self, int dim, int index) -> Tensor",
     .summary = "A copy of the view that select gives.",
     .composite = copy_view<kSelectInt>,
     .variants = kOut,
     .out = {.overload = "int_out"}},
    {.schema = "aten::slice_copy.Tensor(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) "
               "-> Tensor",
     .summary = "A copy of the view that slice gives.",
     .composite = copy_view<kSliceTensor>,
     .variants = kOut,
     .out = {.overload = "Tensor_out"}},
    {.schema = "aten::unfold_copy(Tensor self, int dimension, int size, int step) -> Tensor",
     .summary = "A copy of the view that unfold gives.",
     .composite = copy_view<kUnfold>,
     .variants = kOut},
    {.schema = "aten::diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor",
     .summary = "A copy of the view that diagonal gives.",
     .composite = copy_view<kDiagonal>,
     .variants = kOut},
    {.schema = "aten::view_as_real_copy(Tensor self) -> Tensor",
     .summary = "A copy of the view that view_as_real gives.",
     .composite = copy_view<kViewAsReal>,
     .variants = kOut},
    {.schema = "aten::view_as_complex_copy(Tensor self) -> Tensor",
     .summary = "A copy of the view that view_as_complex gives.",
     .composite = copy_view<kViewAsComplex>,
     .variants = kOut},
    {.schema = "aten::_reshape_alias_copy(Tensor self, SymInt[] size, SymInt[] stride) -> Tensor",
     .summary = "A copy of the view that _reshape_alias gives.",
     .composite = copy_view<kReshapeAlias>,
     .variants = kOut},
    {.schema = "aten::split_copy.Tensor(Tensor self, int split_size, int dim=0) -> Tensor[]",
     .summary = "Copies of the views that split.Tensor gives.",
     .composite = copy_views<kSplitTensor>},
    {.schema = "aten::split_with_sizes_copy(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]",
     .summary = "Copies of the views that split_with_sizes gives.",
     .composite = copy_views<kSplitWithSizes>},
    {.schema = "aten::unbind_copy.int(Tensor self, int dim=0) -> Tensor[]",
     .summary = "Copies of the views that unbind.int gives.",
     .composite = copy_views<kUnbindInt>},
    {.schema = "aten::narrow_copy(Tensor self, int dim, SymInt start, SymInt length) -> Tensor",
     .summary = "A copy of the view that narrow gives.",
     .composite = copy_view<kNarrow>,
     .variants = kOut},
    {.schema = "prim::view_copy(Tensor self, int[] size) -> Tensor",
     .summary = "A copy of the view that view gives.",
     .composite = copy_view<kView>},
    {.schema = "prim::reshape_copy(Tensor self, int[] shape) -> Tensor",
     .summary = "A copy of the view that reshape gives.",
     .composite = copy_view<kReshape>},
    {.schema = "prim::expand_copy(Tensor self, int[] size, *, bool implicit=False) -> Tensor",
     .summary = "A copy of the view that expand gives.",
     .composite = copy_view<kExpand>},
    {.schema = "prim::squeeze_copy(Tensor self) -> Tensor",
     .summary = "A copy of the view that squeeze gives.",
     .composite = copy_view<kSqueeze>},
    {.schema = "prim::squeeze_copy.dim(Tensor self, int dim) -> Tensor",
     .summary = "A copy of the view that squeeze gives.",
     .composite = copy_view<kSqueezeDim>},
    {.schema = "prim::unsqueeze_copy(Tensor self, int dim) -> Tensor",
     .summary = "A copy of the view that unsqueeze gives.",
     .composite = copy_view<kUnsqueeze>},
    {.schema = "prim::flatten_copy(Tensor self, int start_dim, int end_dim) -> Tensor",
     .summary = "A copy of the view that flatten gives.",
     .composite = copy_view<kFlattenUsingInts>},
    {.schema = "prim::expand_as_copy(Tensor self, Tensor other) -> Tensor",
     .summary = "A copy of the view that expand_as gives.",
     .composite = copy_view<kExpandAs>},
};

}  // namespace

std::span<const OperatorRecord> view_copy_records() { return kRecords; }

}  // namespace loupe::views
