// SPDX-License-Identifier: Apache-2.0
#include "core/ops/sparse/other_forms.h"

#include <numeric>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/refuse_form.h"
#include "core/ops/sparse/compressed.h"
#include "core/tensor/packed.h"
#include "core/tensor/quantizer.h"

namespace loupe {
namespace {

struct Call {
    const Operator& op;
    Arguments arguments;

    bool is_tensor(std::size_t i) const { return i < arguments.size() && arguments[i].is_tensor(); }
    Tensor tensor(std::size_t i) const { return arguments[i].to_tensor(); }
    bool is_compressed(std::size_t i) const { return is_tensor(i) && loupe::is_compressed(tensor(i)); }
    bool is_in_place() const {
        return op.variant == OperatorVariant::InPlace || std::string_view(op.schema.name).ends_with('_');
    }
    // The operator with another first argument.
    Tensor on(const Tensor& first) const {
        std::vector<IValue> changed(arguments.begin(), arguments.end());
        changed[0] = IValue(first);
        std::vector<IValue> results(op.result_count());
        call_operator(op, changed, results.data());
        return results[0].to_tensor();
    }
    // The result; in place self with its parts.
    Tensor result(const Tensor& made) const {
        if (!is_in_place()) return made;
        set_sparse_parts(tensor(0), made.impl()->sparse);
        return tensor(0);
    }
};

Tensor dense_of(const Tensor& t) { return loupe::is_compressed(t) ? compressed_to_dense(t) : t; }

// In the layout of `like`.
Tensor compressed_like(const Tensor& t, const Tensor& like) {
    const CompressedParts& parts = compressed_parts(like);
    return to_compressed(t, parts.layout, Dims{parts.block(0), parts.block(1)}, parts.dense_dim());
}

Tensor on_values(const Call& call) {
    const Tensor self = call.tensor(0);
    const Tensor values = compressed_parts(self).values;
    return call.result(
        with_compressed_values(self, call.on(call.is_in_place() ? fn::clone(values, IValue()) : values)));
}

// Of two compressed tensors compressed as the first, of a strided and a compressed one strided.
Tensor on_dense(const Call& call) {
    if (call.is_in_place()) refuse_form(call.op, TensorForm::Compressed);
    std::vector<IValue> dense(call.arguments.begin(), call.arguments.end());
    for (std::size_t i = 0; i < 2; ++i) dense[i] = IValue(dense_of(call.tensor(i)));
    std::vector<IValue> results(call.op.result_count());
    call_operator(call.op, dense, results.data());
    const bool both = call.is_compressed(0) && call.is_compressed(1);
    return both ? compressed_like(results[0].to_tensor(), call.tensor(0)) : results[0].to_tensor();
}

// By a number, a tensor of one element, or element by element.
Tensor scaled(const Call& call) {
    const bool is_number = !call.is_tensor(1) || (call.tensor(1).dim() == 0 && !call.is_compressed(1));
    if (call.is_compressed(0) && is_number) return on_values(call);
    const bool multiplies = call.op.schema.name.find("mul") != std::string::npos;
    if (call.is_in_place() || !multiplies) refuse_form(call.op, TensorForm::Compressed);
    // Where one is zero the product is.
    const std::size_t sparse = call.is_compressed(0) ? 0 : 1;
    const Tensor t = call.tensor(sparse), other = dense_of(call.tensor(1 - sparse));
    const auto sparse_dims = static_cast<std::size_t>(compressed_parts(t).batch_dim() + 2);
    Dims flat(t.sizes().begin() + static_cast<std::ptrdiff_t>(sparse_dims) - 1, t.sizes().end());
    flat[0] = checked_numel(t.sizes().first(sparse_dims));
    const Tensor factors = fn::reshape(fn::expand(other, to_dims(t.sizes()), false), flat);
    const Tensor values = fn::mul(element_values(t), fn::index_select(factors, 0, element_places(t)));
    return with_compressed_values(t, fn::reshape(values, to_dims(compressed_parts(t).values.sizes())));
}

Tensor transposed(const Call& call) {
    const Tensor t = call.tensor(0);
    const CompressedParts& parts = compressed_parts(t);
    const bool is_plain = parts.batch_dim() == 0 && parts.dense_dim() == 0;
    if (call.is_in_place() || !is_plain) refuse_form(call.op, TensorForm::Compressed);
    const auto other = [&] {
        switch (parts.layout) {
            case CompressedLayout::Csr:
                return CompressedLayout::Csc;
            case CompressedLayout::Csc:
                return CompressedLayout::Csr;
            case CompressedLayout::Bsr:
                return CompressedLayout::Bsc;
            default:
                return CompressedLayout::Bsr;
        }
    }();
    const Dims sizes{t.size(1), t.size(0)};
    const Tensor values = has_blocks(parts.layout) ? fn::transpose(parts.values, 1, 2) : parts.values;
    return make_compressed_unchecked(other, parts.compressed, parts.plain, values, span_of(sizes));
}

Tensor swapped(const Call& call) {
    const std::int64_t rank = call.tensor(0).dim();
    const bool swaps = wrap_dim(call.arguments[1].to_int(), rank) != wrap_dim(call.arguments[2].to_int(), rank);
    return swaps ? transposed(call) : call.tensor(0);
}

Tensor mm(const Call& call) {
    const Tensor out = compressed_product(call.tensor(0), call.tensor(1));
    return call.is_compressed(0) && call.is_compressed(1) ? compressed_like(out, call.tensor(0)) : out;
}
Tensor mv(const Call& call) {
    return fn::squeeze(compressed_product(call.tensor(0), fn::unsqueeze(call.tensor(1), 1)), 1);
}
Tensor addmm(const Call& call) {
    const Tensor sum = compressed_product(call.tensor(1), call.tensor(2));
    const Scalar beta = call.arguments[3].to_scalar(), alpha = call.arguments[4].to_scalar();
    const Tensor out = beta.equals(0) ? fn::mul_scalar(sum, alpha)
                                      : fn::add(fn::mul_scalar(dense_of(call.tensor(0)), beta), sum, alpha);
    return call.is_compressed(0) ? compressed_like(out, call.tensor(0)) : out;
}
Tensor linear(const Call& call) {
    const Tensor weight = call.tensor(1), x = fn::reshape(call.tensor(0), Dims{-1, weight.size(1)});
    Tensor out = fn::t(fn::mm(weight, fn::t(x)));
    if (call.is_tensor(2)) out = fn::add(out, call.tensor(2), Scalar(1));
    Dims sizes = to_dims(call.tensor(0).sizes());
    sizes.back() = weight.size(0);
    return fn::reshape(out, sizes);
}

// Products and transposes have no form in place.
template <Tensor (*F)(const Call&)>
Tensor new_only(const Call& call) {
    if (call.is_in_place()) refuse_form(call.op, TensorForm::Compressed);
    return F(call);
}

Tensor on_compressed(FormRule rule, const Call& call) {
    const Tensor self = call.tensor(0);
    switch (rule) {
        case FormRule::Values:
            return on_values(call);
        case FormRule::Add:
        case FormRule::Sub:
            return on_dense(call);
        case FormRule::Scale:
            return scaled(call);
        case FormRule::Norm:
            return call.on(compressed_parts(self).values);
        case FormRule::Copy: {
            if (!call.is_compressed(0) || !call.is_compressed(1)) refuse_form(call.op, TensorForm::Compressed);
            const std::int64_t dtype = static_cast<std::int64_t>(self.dtype());
            const Tensor from = call.tensor(1);
            return call.result(with_compressed_values(from, fn::to_dtype(compressed_parts(from).values, dtype)));
        }
        case FormRule::Clone:
            return with_compressed_values(self, fn::clone(compressed_parts(self).values, IValue()));
        case FormRule::Same:
            return with_compressed_values(self, fn::detach(compressed_parts(self).values));
        case FormRule::Itself:
            return self;
        case FormRule::EmptyLike:
        case FormRule::Zero:
            return call.result(with_compressed_values(self, fn::zeros_like(compressed_parts(self).values)));
        case FormRule::Mm:
            return new_only<mm>(call);
        case FormRule::Mv:
            return new_only<mv>(call);
        case FormRule::Addmm:
            return new_only<addmm>(call);
        case FormRule::Linear:
            return new_only<linear>(call);
        case FormRule::Embedding:
        case FormRule::Rows:
            break;
        case FormRule::Transpose:
            return new_only<swapped>(call);
        case FormRule::T:
            return transposed(call);
    }
    refuse_form(call.op, TensorForm::Compressed);
}

Tensor on_quantized(FormRule rule, const Call& call) {
    const Tensor self = call.tensor(0);
    const auto with = [](const Tensor& t, const Tensor& integers) {
        const QuantizedParts& parts = quantized_parts(t);
        return parts.is_by_channel() ? make_quantized(integers, parts.scales, parts.zero_points, parts.axis)
                                     : with_integers(t, integers);
    };
    switch (rule) {
        case FormRule::Clone:
            return with(self, fn::clone(quantized_parts(self).integers, IValue()));
        case FormRule::Same:
            return with(self, quantized_parts(self).integers);
        case FormRule::Itself:
            return self;
        default:
            refuse_form(call.op, TensorForm::Quantized);
    }
}

// The operator takes from the numbers of the rows those that it takes of the tensor.
Tensor rows_of_packed(const Call& call) {
    const Tensor t = call.tensor(0);
    const PackedParts& parts = packed_parts(t);
    const std::int64_t dim = wrap_dim(call.arguments[1].to_int(), t.dim());
    if (dim != (parts.is_transposed ? 1 : 0)) refuse_form(call.op, TensorForm::Packed);
    const Tensor numbers = empty(std::vector<std::int64_t>{parts.rows()}, ScalarType::Int64);
    std::iota(numbers.data<std::int64_t>(), numbers.data<std::int64_t>() + parts.rows(), std::int64_t{0});
    std::vector<IValue> changed(call.arguments.begin(), call.arguments.end());
    changed[0] = IValue(numbers);
    changed[1] = IValue(std::int64_t{0});
    std::vector<IValue> results(call.op.result_count());
    call_operator(call.op, changed, results.data());
    const Tensor chosen = fn::contiguous(results[0].to_tensor(), 0);
    const auto* const first = chosen.data<std::int64_t>();
    if (chosen.dim() == 0) return fn::reshape(parts.unpacked_rows(*first, 1, 1), Dims{parts.columns()});
    const Tensor rows = packed_rows(parts.is_transposed ? packed_transpose(t) : t,
                                    std::span(first, static_cast<std::size_t>(chosen.numel())));
    return parts.is_transposed ? packed_transpose(rows) : rows;
}

// Packed weights are never written: a clone may share their bytes.
Tensor on_packed(FormRule rule, const Call& call) {
    switch (rule) {
        case FormRule::Clone:
        case FormRule::Same:
            return packed_alias(call.tensor(0));
        case FormRule::Itself:
            return call.tensor(0);
        case FormRule::T:
            return packed_transpose(call.tensor(0));
        case FormRule::Rows:
            return rows_of_packed(call);
        case FormRule::Linear: {
            static const OperatorHandle<> linear("gguf::linear");
            return linear(call.tensor(0), call.tensor(1), call.arguments[2]);
        }
        case FormRule::Mm: {
            if (!is_packed(call.tensor(1))) refuse_form(call.op, TensorForm::Packed);
            const Tensor weight = call.tensor(1);
            static const OperatorHandle<> linear("gguf::linear"), product("gguf::product");
            return packed_parts(weight).is_transposed ? linear(call.tensor(0), packed_transpose(weight), IValue())
                                                      : product(call.tensor(0), weight);
        }
        case FormRule::Embedding: {
            static const OperatorHandle<> embedding("gguf::embedding");
            return embedding(call.tensor(0), call.tensor(1));
        }
        default:
            refuse_form(call.op, TensorForm::Packed);
    }
}

}  // namespace

bool run_on_other_form(FormRule rule, const Operator& op, Arguments arguments, IValue* results) {
    for (const IValue& argument : arguments) {
        if (!argument.is_tensor()) continue;
        const Tensor t = argument.to_tensor();
        if (!t.is_sparse() || is_coordinate(t)) continue;
        const Call call{op, arguments};
        results[0] = IValue(is_packed(t)              ? on_packed(rule, call)
                            : loupe::is_compressed(t) ? on_compressed(rule, call)
                                                      : on_quantized(rule, call));
        return true;
    }
    return false;
}

}  // namespace loupe
