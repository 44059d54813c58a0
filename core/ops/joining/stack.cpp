// SPDX-License-Identifier: Apache-2.0
// stack and the other joins that are written with cat.

#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/elementwise.h"
#include "core/ops/joining/family.h"
#include "core/ops/samples.h"

namespace loupe::joining {
namespace {

TensorMeta stack_meta(const TensorList& tensors, std::int64_t dim) {
    if (tensors.empty()) throw Error(ErrorKind::Run, "stack expects a non-empty TensorList");
    const Tensor& first = tensors.front();
    TensorMeta meta{to_dims(first.sizes()), first.dtype(), first.device()};
    const std::int64_t at = wrap_dim(dim, first.dim() + 1);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (!std::ranges::equal(tensors[i].sizes(), first.sizes())) {
            throw Error(ErrorKind::Run,
                        concat("stack expects each tensor to be equal size, but got ", shape_list_text(first.sizes()),
                               " at entry 0 and ", shape_list_text(tensors[i].sizes()), " at entry ", i));
        }
        meta.dtype = promote_types(meta.dtype, tensors[i].dtype());
    }
    meta.sizes.insert(meta.sizes.begin() + at, static_cast<std::int64_t>(tensors.size()));
    return meta;
}
void stack(const Tensor& out, const TensorList& tensors, std::int64_t dim) {
    if (out.numel() == 0) return;
    const std::int64_t at = wrap_dim(dim, out.dim());
    Dims strides = to_dims(out.strides());
    const std::int64_t step = strides[static_cast<std::size_t>(at)];
    strides.erase(strides.begin() + at);
    std::int64_t offset = out.storage_offset();
    for (const Tensor& t : tensors) {
        copy_into(out.view_as_strided(t.sizes(), span_of(strides), offset), t);
        offset += step;
    }
}
void stack_backward(GradientContext& context) {
    for (std::size_t i = 0; i < context.list_size("tensors"); ++i) {
        context.set_grad("tensors", i,
                         fn::select(context.grad_output(), context.value("dim"), static_cast<std::int64_t>(i)));
    }
}

const OperatorHandle<TensorList> kAtLeast1d{"aten::atleast_1d.Sequence"};
const OperatorHandle<TensorList> kAtLeast2d{"aten::atleast_2d.Sequence"};
const OperatorHandle<TensorList> kAtLeast3d{"aten::atleast_3d.Sequence"};

void check_not_empty(const TensorList& tensors, const char* name) {
    if (tensors.empty()) throw Error(ErrorKind::Run, concat(name, " expects a non-empty TensorList"));
}
Tensor hstack(const TensorList& tensors) {
    check_not_empty(tensors, "hstack");
    const TensorList all = kAtLeast1d(tensors);
    return fn::cat(all, all.front().dim() == 1 ? 0 : 1);
}
Tensor vstack(const TensorList& tensors) {
    check_not_empty(tensors, "vstack");
    return fn::cat(kAtLeast2d(tensors), 0);
}
Tensor dstack(const TensorList& tensors) {
    check_not_empty(tensors, "dstack");
    return fn::cat(kAtLeast3d(tensors), 2);
}
Tensor column_stack(const TensorList& tensors) {
    check_not_empty(tensors, "column_stack");
    TensorList columns;
    for (const Tensor& t : tensors) columns.push_back(t.dim() <= 1 ? fn::reshape(t, Dims{t.numel(), 1}) : t);
    return fn::cat(columns, 1);
}

// Sequences of different lengths in one tensor, filled up with padding_value on their right or left side.
Tensor pad_sequence(const TensorList& sequences, bool batch_first, double padding_value,
                    std::string_view padding_side) {
    if (sequences.empty()) throw Error(ErrorKind::Run, "received an empty list of sequences");
    if (padding_side != "left" && padding_side != "right")
        throw Error(ErrorKind::Run, concat("Expected padding_side to be one of left or right, but got ",
                                           std::string(padding_side), "."));
    std::int64_t longest = 0;
    for (const Tensor& t : sequences) longest = std::max(longest, t.size(0));
    TensorList padded;
    for (const Tensor& t : sequences) {
        Dims pad(static_cast<std::size_t>(2 * t.dim()), 0);
        pad[pad.size() - (padding_side == "left" ? 2 : 1)] = longest - t.size(0);
        padded.push_back(fn::constant_pad_nd(t, pad, Scalar(padding_value)));
    }
    return fn::stack(padded, batch_first ? 0 : 1);
}
Tensor flatten_dense_tensors(const TensorList& tensors) {
    TensorList flat;
    for (const Tensor& t : tensors) flat.push_back(fn::reshape(t, Dims{-1}));
    return fn::cat(flat, 0);
}
TensorList unflatten_dense_tensors(const Tensor& flat, const TensorList& tensors) {
    TensorList out;
    std::int64_t start = 0;
    for (const Tensor& t : tensors) {
        out.push_back(fn::view(fn::narrow(flat, 0, start, t.numel()), t.sizes()));
        start += t.numel();
    }
    return out;
}

// Matrices along the diagonal of one matrix.
Tensor as_matrix(const Tensor& t) {
    if (t.dim() > 2) {
        throw Error(ErrorKind::Run,
                    concat("torch.block_diag: Input tensors must have 2 or fewer dimensions. Input 0 has ", t.dim(),
                           " dimensions"));
    }
    Dims sizes(2, 1);
    if (t.dim() >= 1) sizes[1] = t.sizes().back();
    if (t.dim() == 2) sizes[0] = t.sizes()[0];
    return fn::reshape(t, sizes);
}
Tensor block_diag(const TensorList& tensors) {
    if (tensors.empty()) return empty(std::array<std::int64_t, 2>{1, 0}, ScalarType::Float32);
    std::int64_t columns = 0;
    TensorList blocks;
    for (const Tensor& t : tensors) {
        blocks.push_back(as_matrix(t));
        columns += blocks.back().size(1);
    }
    std::int64_t left = 0;
    for (Tensor& block : blocks) {
        const std::int64_t width = block.size(1);
        block = fn::constant_pad_nd(block, Dims{left, columns - left - width}, 0);
        left += width;
    }
    return fn::cat(blocks, 0);
}

std::vector<Sample> stack_samples(Random& random, ScalarType dtype) {
    return {{{TensorList{random_tensor(random, {2, 3}, dtype), random_tensor(random, {2, 3}, dtype)}, 1}}};
}
std::vector<Sample> list_samples(Random& random, ScalarType dtype) {
    return {{{TensorList{random_tensor(random, {2, 3}, dtype), random_tensor(random, {2, 3}, dtype)}}}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::stack(Tensor[] tensors, int dim=0) -> Tensor",
     .summary = "The tensors side by side along a new dimension dim.",
     .infer = inferring<stack_meta>,
     .kernel = filling<stack>,
     .derivative = {stack_backward},
     .gradient = "tensors: the piece of grad that came from it",
     .samples = stack_samples,
     .variants = kOut,
     .autocast = {.cpu = Autocast::Widest},
     .dtypes = {kAnyDtype}},
    {.schema = "aten::_stack(Tensor[] tensors, int dim=0) -> Tensor",
     .summary = "The tensors side by side along a new dimension dim.",
     .infer = inferring<stack_meta>,
     .kernel = filling<stack>,
     .derivative = {stack_backward},
     .gradient = "tensors: the piece of grad that came from it",
     .samples = stack_samples,
     .variants = kOut,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::hstack(Tensor[] tensors) -> Tensor",
     .summary = "Side by side: along dimension 1, vectors along 0.",
     .composite = boxed<hstack>,
     .samples = list_samples,
     .variants = kOut},
    {.schema = "aten::vstack(Tensor[] tensors) -> Tensor",
     .summary = "One under the other.",
     .composite = boxed<vstack>,
     .samples = list_samples,
     .variants = kOut},
    {.schema = "aten::row_stack(Tensor[] tensors) -> Tensor",
     .summary = "One under the other.",
     .composite = boxed<vstack>,
     .variants = kOut},
    {.schema = "aten::dstack(Tensor[] tensors) -> Tensor",
     .summary = "One behind the other.",
     .composite = boxed<dstack>,
     .samples = list_samples,
     .variants = kOut},
    {.schema = "aten::column_stack(Tensor[] tensors) -> Tensor",
     .summary = "Side by side, vectors as columns.",
     .composite = boxed<column_stack>,
     .samples = list_samples,
     .variants = kOut},
    {.schema = "aten::pad_sequence(Tensor[] sequences, bool batch_first=False, float padding_value=0., "
               "str padding_side=\"right\") -> Tensor",
     .summary = "Sequences of different lengths in one tensor.",
     .composite = boxed<pad_sequence>},
    {.schema = "aten::flatten_dense_tensors(Tensor[] tensors) -> Tensor",
     .summary = "All elements in one vector.",
     .composite = boxed<flatten_dense_tensors>},
    {.schema = "aten::unflatten_dense_tensors(Tensor flat, Tensor[] tensors) -> Tensor[]",
     .summary = "The vector's elements in the shapes of the tensors.",
     .composite = boxed<unflatten_dense_tensors>},
    {.schema = "aten::block_diag(Tensor[] tensors) -> Tensor",
     .summary = "The matrices along the diagonal of one, zeros elsewhere.",
     .composite = boxed<block_diag>,
     .samples = list_samples,
     .variants = kOut},
};

}  // namespace

std::span<const OperatorRecord> stack_records() { return kRecords; }

}  // namespace loupe::joining
