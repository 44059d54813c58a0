// SPDX-License-Identifier: Apache-2.0
// Shapes, pieces and reductions of nested tensors of the strided layout.

#include <algorithm>

#include "core/dispatch/functions.h"
#include "core/ops/nested/strided.h"

namespace loupe::nested_ops {
namespace {

const OperatorHandle<> kView{"aten::view"}, kReshape{"aten::reshape"}, kCat{"aten::cat"};

Tensor view_of(const Tensor& nested, std::vector<Dims> sizes, std::vector<Dims> strides) {
    const NestedParts& parts = nested_parts(nested);
    return make_nested(parts.buffer, std::move(sizes), std::move(strides), parts.offsets);
}
template <typename Change>
Tensor restrided(const Tensor& nested, const Change& change) {
    const NestedParts& parts = nested_parts(nested);
    std::vector<Dims> sizes = parts.sizes, strides = parts.strides;
    for (std::size_t i = 0; i < sizes.size(); ++i) change(sizes[i], strides[i]);
    return view_of(nested, std::move(sizes), std::move(strides));
}

void transpose(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    const std::int64_t a = wrap_dim(call.arguments[1].to_int(), t.dim());
    const std::int64_t b = wrap_dim(call.arguments[2].to_int(), t.dim());
    if (a == 0 || b == 0) fail("Nested tensor dimension 0 cannot be transposed");
    results[0] = restrided(t, [&](Dims& sizes, Dims& strides) {
        std::swap(sizes[static_cast<std::size_t>(a - 1)], sizes[static_cast<std::size_t>(b - 1)]);
        std::swap(strides[static_cast<std::size_t>(a - 1)], strides[static_cast<std::size_t>(b - 1)]);
    });
}
void mT(const Call& call, IValue* results) {
    if (call.tensor(0).dim() < 3) fail("tensor.mT is only supported on matrices or batches of matrices.");
    const IValue arguments[] = {call.arguments[0], std::int64_t{-2}, std::int64_t{-1}};
    transpose(Call{call.op, arguments}, results);
}

void unsqueeze(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    const std::int64_t dim = wrap_dim(call.arguments[1].to_int(), t.dim() + 1);
    if (dim == 0) {
        fail(
            "unsqueeze(): For nested tensors, unsqueezing dimension 0 is not supported at the moment if you need this "
            "feature, please open an issue on github describing your use case.");
    }
    results[0] = restrided(t, [&](Dims& sizes, Dims& strides) {
        const std::int64_t place = dim - 1;
        const bool is_last = place == static_cast<std::int64_t>(sizes.size());
        const std::int64_t stride =
            is_last ? 1 : sizes[static_cast<std::size_t>(place)] * strides[static_cast<std::size_t>(place)];
        sizes.insert(sizes.begin() + place, 1);
        strides.insert(strides.begin() + place, stride);
    });
}
void squeeze(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    if (call.arguments.size() < 2) {
        fail(
            "squeeze(): For nested tensors, squeeze without the dim argument is not supported at the moment, however "
            "you can use squeeze(Tensor self, int dim) instead if you need this feature, please open an issue on "
            "github describing your use case.");
    }
    Dims dims;
    if (call.arguments[1].is_int())
        dims.push_back(call.arguments[1].to_int());
    else
        dims = call.integers(1);
    for (std::int64_t& each : dims) {
        each = wrap_dim(each, t.dim());
        if (each == 0) {
            fail(
                "squeeze(): For nested tensors, squeezing dimension 0 is not supported at the moment if you need this "
                "feature, please open an issue on github describing your use case.");
        }
    }
    std::ranges::sort(dims, std::greater<>());
    results[0] = restrided(t, [&](Dims& sizes, Dims& strides) {
        for (const std::int64_t each : dims) {
            // One of the whole that is 1 in each constituent.
            if (t.sizes()[static_cast<std::size_t>(each)] != 1) continue;
            sizes.erase(sizes.begin() + (each - 1));
            strides.erase(strides.begin() + (each - 1));
        }
    });
}

// A constituent's new sizes; -1 keeps the size of a dimension that was there. Others are never inferred, as in PyTorch.
Dims new_sizes(const Dims& old, const Dims& wanted) {
    Dims out;
    bool has_kept = false;
    for (std::size_t d = 0; d + 1 < wanted.size(); ++d) {
        std::int64_t size = wanted[d + 1];
        if (size < -1) fail(concat("invalid shape dimension ", size));
        if (size == -1 && d >= old.size()) fail("nested tensor does not infer shape");
        if (size == -1 && has_kept) fail("only one dimension can be inferred");
        has_kept |= size == -1;
        out.push_back(size == -1 ? old[d] : size);
    }
    const std::int64_t all = checked_numel(span_of(old));
    if (checked_numel(span_of(out)) != all)
        fail(concat("shape '", shape_list_text(span_of(wanted)), "' is invalid for input of size ", all));
    return out;
}
void view(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    const NestedParts& parts = nested_parts(t);
    const Dims wanted = call.integers(1);
    const bool is_view = call.function() == "view";
    if (wanted.empty()) fail("shape '[]' is invalid for a nested tensor");
    if (wanted[0] != parts.batch())
        fail(concat(call.function(), ": For now nested ", call.function(),
                    " cannot change or infer the implicit batch dimension"));
    std::vector<Dims> sizes;
    for (const Dims& old : parts.sizes) sizes.push_back(new_sizes(old, wanted));
    if (parts.is_contiguous) {
        results[0] = make_nested(parts.buffer, std::move(sizes));
        return;
    }
    TensorList out = constituents(t);
    if (!is_view) {
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = kReshape(out[i], sizes[i]);
        results[0] = nested_of(out, t.dtype());
        return;
    }
    std::vector<Dims> strides;
    for (std::size_t i = 0; i < out.size(); ++i) strides.push_back(to_dims(kView(out[i], sizes[i]).strides()));
    results[0] = view_of(t, std::move(sizes), std::move(strides));
}
void reshape_as(const Call& call, IValue* results) {
    if (!call.has_strided(0) || !call.has_strided(1)) fail("get_nested_tensor_impl requires a NestedTensor.");
    const NestedParts& like = nested_parts(call.tensor(1));
    TensorList out = constituents(call.tensor(0));
    if (out.size() != like.sizes.size()) fail("reshape_as: the batch sizes differ");
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = kReshape(out[i], like.sizes[i]);
    results[0] = nested_of(out, call.tensor(0).dtype());
}

// Pieces of the last dimension, `sizes` long.
void split_last(const Tensor& t, const Dims& lengths, IValue* results) {
    const NestedParts& parts = nested_parts(t);
    TensorList out;
    std::int64_t start = 0;
    for (const std::int64_t length : lengths) {
        std::vector<Dims> sizes = parts.sizes;
        Dims offsets = parts.offsets;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            sizes[i].back() = length;
            offsets[i] += start * parts.strides[i].back();
        }
        out.push_back(make_nested(parts.buffer, std::move(sizes), parts.strides, std::move(offsets)));
        start += length;
    }
    results[0] = IValue(out);
}
void chunk(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    const std::int64_t chunks = call.arguments[1].to_int(), dim = wrap_dim(call.arguments[2].to_int(), t.dim());
    if (dim == 0 || dim != t.dim() - 1)
        fail("Chunk for nested tensors is currently only supported for the last dimension.");
    if (chunks <= 0) fail(concat("chunk expects `chunks` to be greater than 0, got: ", chunks));
    if (!nested_parts(t).is_contiguous) fail("chunk expects `self` to be contiguous.");
    const std::int64_t size = regular_size(t, dim);
    if (size % chunks != 0) {
        fail(
            concat("Chunk for nested tensors is only supported for nested tensors with trailing dimension divisible by "
                   "chunks, got: ",
                   size, " % ", chunks, " != 0"));
    }
    split_last(t, Dims(static_cast<std::size_t>(chunks), size / chunks), results);
}
void split_with_sizes(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    const Dims lengths = call.integers(1);
    const std::int64_t dim = wrap_dim(call.arguments[2].to_int(), t.dim());
    if (dim == 0 || dim != t.dim() - 1)
        fail("split_with_sizes for nested tensors is currently only supported for the last dimension.");
    if (lengths.empty()) fail("split_with_sizes expects number of splits to be at least 1, got: 0");
    if (!nested_parts(t).is_contiguous) fail("split_with_sizes expects `self` to be contiguous.");
    const std::int64_t size = regular_size(t, dim);
    std::int64_t total = 0;
    for (const std::int64_t each : lengths) {
        if (each < 0 || each > size) total = -1;
        if (total >= 0) total += each;
    }
    if (total != size) {
        fail(concat("split_with_sizes expects split_sizes to sum exactly to ", size,
                    " (input tensor's size at dimension ", dim,
                    "), but got split_sizes=", shape_list_text(span_of(lengths))));
    }
    split_last(t, lengths, results);
}

void unbind(const Call& call, IValue* results) {
    const std::int64_t dim = wrap_dim(call.arguments[1].to_int(), call.tensor(0).dim());
    if (dim != 0) fail(concat("NestedTensor can only be unbound along dimension 0 got dimension ", dim, " instead."));
    results[0] = IValue(constituents(call.tensor(0)));
}
void select(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    const NestedParts& parts = nested_parts(t);
    const std::int64_t dim = wrap_dim(call.arguments[1].to_int(), t.dim()), index = call.arguments[2].to_int();
    if (dim == 0) {
        if (index < -parts.batch() || index >= parts.batch())
            fail(concat("index ", index, " is out of bounds for dimension 0 with size ", parts.batch()));
        results[0] = constituents(t)[static_cast<std::size_t>(index < 0 ? index + parts.batch() : index)];
        return;
    }
    const auto place = static_cast<std::size_t>(dim - 1);
    std::vector<Dims> sizes = parts.sizes, strides = parts.strides;
    Dims offsets = parts.offsets;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (index < 0 || index >= sizes[i][place]) {
            fail(concat("index ", index, " is out of bounds for dimension ", dim - 1, " of the ", i,
                        "th constituent tensor with size ", sizes[i][place]));
        }
        offsets[i] += index * strides[i][place];
        sizes[i].erase(sizes[i].begin() + (dim - 1));
        strides[i].erase(strides[i].begin() + (dim - 1));
    }
    results[0] = make_nested(parts.buffer, std::move(sizes), std::move(strides), std::move(offsets));
}
void narrow(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    const NestedParts& parts = nested_parts(t);
    const std::int64_t dim = call.arguments[1].to_int(), start = call.arguments[2].to_int();
    const std::int64_t length = call.arguments[3].to_int();
    if (dim != 0) fail(concat("narrow(): only dim=0 supported for nested tensors, but got: ", dim));
    if (length < 0) fail("narrow(): length must be non-negative.");
    if (start < 0 || start + length > parts.batch())
        fail(concat("start (", start, ") + length (", length, ") exceeds dimension size (", parts.batch(), ")."));
    const auto cut = [&](const auto& all) {
        using All = std::decay_t<decltype(all)>;
        return All(all.begin() + start, all.begin() + start + length);
    };
    results[0] = make_nested(parts.buffer, cut(parts.sizes), cut(parts.strides), cut(parts.offsets));
}

void cat(const Call& call, IValue* results) {
    TensorList tensors;
    for (const IValue& each : call.arguments[0].to_list().elements) tensors.push_back(each.to_tensor());
    for (const Tensor& each : tensors) {
        if (!is_strided_nested(each)) fail("Expected each tensor in given list to be nested.");
        if (!nested_parts(each).is_contiguous) fail("Expected each tensor in given list to be contiguous.");
    }
    const Tensor& first = tensors[0];
    const std::int64_t dim = wrap_dim(call.arguments[1].to_int(), first.dim());
    for (std::size_t i = 1; i < tensors.size(); ++i) {
        if (tensors[i].dim() != first.dim()) {
            fail(concat("Sizes of tensors must match except in dimension ", dim, ". Expected size ", first.dim() - 1,
                        " but got size ", tensors[i].dim() - 1, " for tensor number ", i, " in the list."));
        }
    }
    TensorList joined;
    if (dim == 0) {
        for (const Tensor& each : tensors)
            for (const Tensor& part : constituents(each)) joined.push_back(part);
        results[0] = nested_of(joined, first.dtype());
        return;
    }
    std::vector<TensorList> parts;
    for (const Tensor& each : tensors) {
        parts.push_back(constituents(each));
        bool matches = parts.back().size() == parts[0].size();
        for (std::size_t i = 0; matches && i < parts[0].size(); ++i) {
            for (std::int64_t d = 0; d < first.dim() - 1; ++d)
                matches &= d == dim - 1 || parts.back()[i].size(d) == parts[0][i].size(d);
        }
        if (!matches) {
            fail(
                "cat(): expected all nested tensors to have matching ragged structures outside of the concatenated "
                "dim");
        }
    }
    for (std::size_t i = 0; i < parts[0].size(); ++i) {
        TensorList row;
        for (const TensorList& each : parts) row.push_back(each[i]);
        joined.push_back(kCat(row, dim - 1));
    }
    results[0] = nested_of(joined, first.dtype());
}

// (self, dims, keepdim, dtype)
void sum(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    const Dims dims = call.integers(1);
    if (dims.size() != 1) fail("NestedTensor only allows reduction of a single dimension for now.");
    const std::int64_t dim = wrap_dim(dims[0], t.dim());
    if (dim != t.dim() - 1) {
        fail(concat("NestedTensor can only be reduced across the last dimension for now got dimension ", dim,
                    " instead."));
    }
    if (!nested_parts(t).is_contiguous)
        fail("NestedTensor does not support reductions when the input is noncontiguous for now.");
    if (!call.arguments[2].to_bool()) fail("NestedTensor always requires keepdim=True for now.");
    std::vector<IValue> changed = call.copied();
    changed[1] = Dims{dim - 1};
    results[0] = mapped_constituents(t, [&](const Tensor& each) {
        changed[0] = each;
        return call.run(changed)[0].to_tensor();
    });
}
// (self, dim, ...) on each constituent.
template <bool IsSoftmax>
void along(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    const std::int64_t dim = wrap_dim(call.arguments[1].to_int(), t.dim());
    if (dim == 0) fail(concat("Cannot apply ", IsSoftmax ? "softmax" : call.function(), " across nested dimension 0"));
    std::vector<IValue> changed = call.copied();
    changed[1] = dim - 1;
    results[0] = mapped_constituents(t, [&](const Tensor& each) {
        changed[0] = each;
        return call.run(changed)[0].to_tensor();
    });
}

}  // namespace

void add_strided_shape_rules(RuleTable& table) {
    table["transpose.int"] = transpose;
    table["mT"] = mT;
    table["unsqueeze"] = unsqueeze;
    table["squeeze"] = squeeze;
    table["view"] = view;
    table["reshape"] = view;
    table["reshape_as"] = reshape_as;
    table["chunk"] = chunk;
    table["split_with_sizes"] = split_with_sizes;
    table["split.sizes"] = split_with_sizes;
    table["unbind"] = unbind;
    table["select.int"] = select;
    table["narrow"] = narrow;
    table["cat"] = cat;
    table["sum.dim_IntList"] = sum;
    table["all.dim"] = along<false>;
    table["softmax.int"] = along<true>;
    table["_softmax"] = along<true>;
    table["_safe_softmax"] = along<true>;
}

}  // namespace loupe::nested_ops
