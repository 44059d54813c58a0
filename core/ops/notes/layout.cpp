// SPDX-License-Identifier: Apache-2.0
// Views, joining, indexing, sorting, triangles, transforms, random numbers.

#include "core/ops/notes/tables.h"

namespace loupe::notes {
namespace {

constexpr std::string_view kReshaped = "self: grad in self's shape";
constexpr std::string_view kBack = "self: grad, back in the old order of dimensions";
constexpr std::string_view kPieces = "self: the gradients of the pieces, one after another; 0 where none came";
constexpr std::string_view kChosen = "self: grad at the places chosen, else 0";
constexpr std::string_view kRestOfSelf = "self: grad, 0 at the places written\nsrc: grad at the places written";
constexpr std::string_view kBorder = "self: grad, that of the border added where its elements came from";
constexpr std::string_view kBorderOut = "grad_output: grad, with a border as forward";
constexpr std::string_view kDrawn = "self: 0; what is drawn hangs on nothing";
constexpr std::string_view kRefused = "self: none; it is refused";
constexpr std::string_view kRotate = "self: grad, moved back";

constexpr OperatorNote kNotes[] = {
    {"aten::view", "", kReshaped},
    {"aten::reshape", "", kReshaped},
    {"aten::_unsafe_view", "", kReshaped},
    {"aten::_reshape_alias", "", kReshaped},
    {"aten::flatten", "", kReshaped},
    {"aten::unflatten", "", kReshaped},
    {"aten::squeeze", "", kReshaped},
    {"aten::squeeze_", "", kReshaped},
    {"aten::unsqueeze", "", kReshaped},
    {"aten::unsqueeze_", "", kReshaped},
    {"aten::alias", "", "self: grad"},
    {"aten::as_tensor", "", "data: grad"},
    {"aten::detach", "", "self: none; the graph ends here"},
    {"aten::transpose", "out[.., i, .., j] = self[.., j, .., i]", kBack},
    {"aten::transpose_", "", kBack},
    {"aten::swapaxes_", "", kBack},
    {"aten::swapdims_", "", kBack},
    {"aten::t", "out[i, j] = self[j, i]", "self: grad^T"},
    {"aten::t_", "out[i, j] = self[j, i]", "self: grad^T"},
    {"aten::permute", "", kBack},
    {"aten::movedim", "", kBack},
    {"aten::expand", "", "self: grad, summed over what was repeated"},
    {"aten::expand_as", "", "self: grad, summed over what was repeated"},
    {"aten::repeat", "", "self: grad, summed over the copies"},
    {"aten::select", "", kChosen},
    {"aten::slice", "", kChosen},
    {"aten::diagonal", "out[i] = self[i, i + offset]", "self: grad on the diagonal, else 0"},
    {"aten::diag_embed", "out[i, i + offset] = self[i]", "self: the diagonal of grad"},
    {"aten::as_strided", "out[i, j] = storage[storage_offset + i stride_0 + j stride_1]", "self: grad, added where the elements came from"},
    {"aten::as_strided_", "out[i, j] = storage[storage_offset + i stride_0 + j stride_1]", "self: grad, added where the elements came from"},
    {"aten::unfold", "out[.., p, .., k] = self[.., step p + k]", "self: grad, the windows added where they came from"},
    {"aten::select_backward", "", "grad_output: the part of grad"},
    {"aten::slice_backward", "", "grad_output: the part of grad"},
    {"aten::unfold_backward", "", "grad_in: the windows of grad"},
    {"aten::diagonal_backward", "", "grad_output: the diagonal of grad"},
    {"aten::split", "", kPieces},
    {"aten::split_with_sizes", "", kPieces},
    {"aten::unsafe_split", "", kPieces},
    {"aten::unsafe_split_with_sizes", "", kPieces},
    {"aten::chunk", "", kPieces},
    {"aten::unbind", "", kPieces},
    {"aten::select_scatter", "", kRestOfSelf},
    {"aten::slice_scatter", "", kRestOfSelf},
    {"aten::diagonal_scatter", "", kRestOfSelf},
    {"aten::as_strided_scatter", "", kRestOfSelf},
    {"aten::tril", "out[i, j] = self[i, j] if j <= i + diagonal else 0", "self: grad where j <= i + diagonal, else 0"},
    {"aten::triu", "out[i, j] = self[i, j] if j >= i + diagonal else 0", "self: grad where j >= i + diagonal, else 0"},

    {"aten::cat", "", "tensors: the piece of grad that came from it"},
    {"aten::stack", "", "tensors: the piece of grad that came from it"},
    {"aten::_stack", "", "tensors: the piece of grad that came from it"},
    {"aten::flip", "", kRotate},
    {"aten::roll", "", kRotate},
    {"aten::constant_pad_nd", "", "self: grad without the border"},
    {"aten::pad", "", "self: grad without the border; where the border repeats elements, its grad added to theirs"},
    {"aten::reflection_pad1d", "", kBorder},
    {"aten::reflection_pad2d", "", kBorder},
    {"aten::reflection_pad3d", "", kBorder},
    {"aten::replication_pad1d", "", kBorder},
    {"aten::replication_pad2d", "", kBorder},
    {"aten::replication_pad3d", "", kBorder},
    {"aten::reflection_pad1d_backward", "", kBorderOut},
    {"aten::reflection_pad2d_backward", "", kBorderOut},
    {"aten::reflection_pad3d_backward", "", kBorderOut},
    {"aten::replication_pad1d_backward", "", kBorderOut},
    {"aten::replication_pad2d_backward", "", kBorderOut},
    {"aten::replication_pad3d_backward", "", kBorderOut},
    {"aten::pixel_shuffle", "out[c, r h + i, r w + j] = self[c r^2 + i r + j, h, w]", kRotate},
    {"aten::pixel_unshuffle", "out[c r^2 + i r + j, h, w] = self[c, r h + i, r w + j]", kRotate},

    {"aten::index", "", "self: grad, added at the indices; 0 elsewhere"},
    {"aten::index_put", "", "self: grad, 0 at the indices unless values are added\nvalues: grad at the indices"},
    {"aten::index_put_", "", "self: grad, 0 at the indices unless values are added\nvalues: grad at the indices"},
    {"aten::index_select", "out[i] = self[index[i]]", "self: grad[i] added at index[i], else 0"},
    {"aten::index_add", "out = self; out[index[i]] += alpha source[i]", "self: grad\nsource: alpha grad[index[i]]"},
    {"aten::index_copy", "out = self; out[index[i]] = source[i]", "self: grad, 0 at index\nsource: grad[index[i]]"},
    {"aten::index_fill", "out = self; out[index[i]] = value", "self: grad, 0 at index\nvalue: sum of grad at index"},
    {"aten::gather", "", "self: grad added at index, else 0"},
    {"aten::scatter", "", "self: grad, 0 at index\nsrc: grad at index"},
    {"aten::scatter_add", "", "self: grad\nsrc: grad at index"},
    {"aten::masked_select", "", "self: grad where the mask holds, else 0"},
    {"aten::masked_scatter", "", "self: grad where the mask does not hold, else 0\nsource: grad where the mask holds, one after another"},
    {"aten::embedding", "out[i] = weight[indices[i]]", "weight: sum of grad[i] at indices[i], 0 at padding_idx"},
    {"aten::embedding_dense_backward", "out[indices[i]] += grad_output[i]", "grad_output: grad[indices[i]]"},
    {"aten::_embedding_bag", "out[b] = sum_{i in bag b} weight[indices[i]]", "weight: sum of grad[b] at indices[i] of bag b; divided by its size for the mean"},
    {"aten::embedding_bag", "out[b] = sum_{i in bag b} weight[indices[i]]", "weight: sum of grad[b] at indices[i] of bag b; divided by its size for the mean"},
    {"aten::sort", "", "self: grad, back where the elements stood"},
    {"aten::topk", "", "self: grad at the indices, else 0"},
    {"aten::kthvalue", "", "self: grad at the index, else 0"},
    {"aten::median", "", "self: grad at the median, else 0"},
    {"aten::nanmedian", "", "self: grad at the median, else 0"},
    {"aten::mode", "", "self: grad at the index, else 0"},

    {"aten::scatter_reduce", "out[index[i]] = reduce of self[index[i]] and all src[i] that come there",
     "self: grad; for prod times the others, for the mean by the count, for the extrema where it is the one\n"
     "src: grad[index[i]]; for prod times the others, for the mean by the count, for the extrema where it is the one"},
    {"aten::segment_reduce", "", "data: grad of the segment; for the mean by its length, for prod times the others, for the extrema where it is the one"},
    {"aten::frexp", "self = mantissa 2^exponent", "self: grad / 2^exponent"},

    {"aten::uniform_", "", kDrawn},
    {"aten::normal_", "", kDrawn},
    {"aten::bernoulli_", "", kDrawn},
    {"aten::bernoulli", "", kDrawn},
    {"aten::poisson", "", kDrawn},
    {"aten::random_", "", kDrawn},
    {"aten::exponential_", "", kDrawn},
    {"aten::cauchy_", "", kDrawn},
    {"aten::log_normal_", "", kDrawn},
    {"aten::geometric_", "", kDrawn},
    {"aten::_unique", "", kRefused},
    {"aten::_unique2", "", kRefused},
    {"aten::unique_dim", "", kRefused},
    {"aten::unique_consecutive", "", kRefused},
    {"aten::unique_dim_consecutive", "", kRefused},
    {"aten::normal", "", "mean: 0\nstd: 0"},
    {"aten::_standard_gamma", "", "self: grad times how the sample moves with self"},
    {"aten::_sample_dirichlet", "", "self: (grad - sum_k grad[k] out[k]) times how the share moves with self"},

    {"aten::_fft_c2c", "", "self: the transform of grad in the other direction, scaled alike"},
    {"aten::_fft_r2c", "", "self: real part of the transform of grad in the other direction"},
    {"aten::_fft_c2r", "", "self: the transform of grad, terms that stand for two doubled"},
};

}  // namespace

std::span<const OperatorNote> layout_notes() { return kNotes; }

}  // namespace loupe::notes
