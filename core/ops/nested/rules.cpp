// SPDX-License-Identifier: Apache-2.0
// How operators of other families take jagged tensors; more in jagged_broadcast.cpp. All call operators on the values,
// which record. Messages and what is refused follow torch/nested/_internal/ops.py.

#include <algorithm>
#include <numeric>
#include <set>

#include "core/dispatch/nested_calls.h"
#include "core/ops/nested/family.h"
#include "core/ops/nested/jagged_rules.h"
#include "core/ops/nested/padding.h"

namespace loupe {

namespace {

using namespace nested_ops;

const OperatorHandle<> kIndexSelect{"aten::index_select"}, kTranspose{"aten::transpose.int"},
    kGetValues{"loupe::nested_values"}, kReshape{"aten::reshape"}, kView{"aten::view"}, kPermute{"aten::permute"},
    kMatmul{"aten::matmul"}, kStack{"aten::stack"}, kCat{"aten::cat"}, kNarrow{"aten::narrow"},
    kSelect{"aten::select.int"}, kSumDim{"aten::sum.dim_IntList"}, kDiv{"aten::div.Tensor"},
    kToDevice{"aten::to.dtype_layout"}, kUnsqueeze{"aten::unsqueeze"}, kExpandAs{"aten::expand_as"};

// Each tensor of the results with the sequences of `like`.
IValue wrapped(const IValue& result, const Tensor& like, std::int64_t ragged) {
    if (result.is_tensor()) return with_jagged_values(like, result.to_tensor(), ragged);
    if (!result.is_list()) return result;
    TensorList out;
    for (const IValue& each : result.to_list().elements)
        out.push_back(with_jagged_values(like, each.to_tensor(), ragged));
    return IValue(out);
}

void give(const Call& call, std::vector<IValue> made, const Tensor& like, std::int64_t ragged, IValue* results) {
    for (std::size_t i = 0; i < made.size(); ++i) {
        // In place, and where the operator gave its argument back, it is the argument still.
        const bool is_self = call.has_jagged(0) && made[i].is_tensor() &&
                             made[i].to_tensor().is_same(jagged_parts(call.tensor(0)).values);
        results[i] = is_self && (call.is_in_place() || call.function() != "detach") ? call.arguments[0]
                                                                                    : wrapped(made[i], like, ragged);
    }
}

// A dense tensor of the nested one's rank, as values: [B, ..., 1, ...] repeated along each sequence.
Tensor repeated(const Tensor& dense, const Tensor& nested) {
    const JaggedParts& parts = jagged_parts(nested);
    const std::int64_t total = parts.values.size(parts.ragged - 1);
    const auto sequences = sequences_of(nested);
    if (dense.size(parts.ragged) != 1)
        return ragged_first(unpadded_rows(parts.ragged == 1 ? dense : kTranspose(dense, std::int64_t{1}, parts.ragged),
                                          sequences, total),
                            parts.ragged - 1);
    const Tensor rows = kIndexSelect(kSelect(dense, parts.ragged, std::int64_t{0}), std::int64_t{0},
                                     kToDevice(sequence_of_rows(sequences, total), IValue(), IValue(), dense.device()));
    // [total, d1, ..., without the ragged one, ...]: the rows go where the ragged dimension is.
    std::vector<std::int64_t> order(static_cast<std::size_t>(rows.dim()));
    std::iota(order.begin(), order.end(), 0);
    std::rotate(order.begin(), order.begin() + 1, order.begin() + parts.ragged);
    return parts.ragged == 1 ? rows : kPermute(rows, Dims(order.begin(), order.end()));
}

// Element by element, of nested tensors of the same sequences and dense ones that are broadcast.
void pointwise(const Call& call, IValue* results) {
    std::vector<IValue> changed = call.copied();
    std::size_t first = 0;
    while (!call.has_jagged(first)) ++first;
    const Tensor nested = call.tensor(first);
    for (std::size_t i = 0; i < changed.size(); ++i) {
        if (!changed[i].is_tensor()) continue;
        Tensor t = call.tensor(i);
        const Tensor a = call.is_tensor(0) ? call.tensor(0) : nested, b = call.is_tensor(1) ? call.tensor(1) : t;
        const auto mismatch = [&](const auto& text) {
            fail(concat("cannot call binary pointwise function ", call.name(), " with inputs of shapes ",
                        text(a.sizes()), " and ", text(b.sizes())));
        };
        if (is_jagged(t)) {
            if (!same_raggedness(nested, t.sizes())) mismatch(tuple_text);
            changed[i] = jagged_parts(t).values;
            continue;
        }
        if (t.dim() > nested.dim()) throw Error(ErrorKind::Unsupported, "NYI: broadcasting NT with T with larger dim");
        Tensor squeezed = t;
        while (squeezed.dim() > 0 && squeezed.size(0) == 1)
            squeezed = kSelect(squeezed, std::int64_t{0}, std::int64_t{0});
        if (nested.dim() >= squeezed.dim() + 2)
            changed[i] = squeezed.is_same(t) ? changed[i] : IValue(squeezed);
        else if (t.dim() == nested.dim() && t.size(0) == nested.size(0))
            changed[i] = repeated(t, nested);
        else
            mismatch(size_object_text);
    }
    give(call, call.run(changed), nested, jagged_parts(nested).ragged, results);
}

// On the values as they are; other tensors go as they are.
void on_values(const Call& call, IValue* results) {
    std::vector<IValue> changed = call.copied();
    std::optional<Tensor> nested;
    for (IValue& each : changed) {
        if (!each.is_tensor() || !is_jagged(each.to_tensor())) continue;
        if (!nested) nested = each.to_tensor();
        each = jagged_parts(each.to_tensor()).values;
    }
    give(call, call.run(changed), *nested, jagged_parts(*nested).ragged, results);
}

void require_contiguous(const Call& call, std::size_t i, std::string_view schema, std::string_view argument) {
    if (call.has_jagged(i) && !jagged_parts(call.tensor(i)).lengths.defined() &&
        jagged_parts(call.tensor(i)).ragged == 1)
        return;
    fail_with_value(
        concat("NestedTensor ", schema, ": expected ", argument, " to be a contiguous jagged layout NestedTensor"));
}
void linear(const Call& call, IValue* results) {
    require_contiguous(call, 0, "linear_default(input: jt, weight: t, bias: t?)", "input");
    on_values(call, results);
}
void embedding(const Call& call, IValue* results) {
    require_contiguous(
        call, 1, "embedding_default(weight: t, indices: jt, padding_idx: any?, scale_grad_by_freq: any?, sparse: any?)",
        "indices");
    on_values(call, results);
}
// A dimension of the whole as one of the values.
std::int64_t inner_dim(const Tensor& t, std::int64_t dim) { return dim == 0 ? jagged_parts(t).ragged - 1 : dim - 1; }
// One that is neither the batch nor, unless allowed, ragged.
std::int64_t dense_dim(const Call& call, const Tensor& t, std::int64_t given, std::int64_t rank,
                       bool ragged_too = false) {
    const std::int64_t dim = wrap_dim(given, rank);
    if (dim == jagged_parts(t).ragged && !ragged_too)
        fail(concat(call.function(), "(): not supported for NestedTensor on ragged dim"));
    if (dim == 0) fail(concat(call.function(), "(): not supported for NestedTensor on dim=0"));
    return dim - 1;
}
// Splits and slices: the dimension is the last argument, or `place`.
template <std::size_t Place>
void along_dense(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    std::vector<IValue> changed = call.copied();
    changed[0] = jagged_parts(t).values;
    changed[Place] = dense_dim(call, t, changed[Place].to_int(), t.dim());
    give(call, call.run(changed), t, jagged_parts(t).ragged, results);
}

void unbind(const Call& call, IValue* results) {
    if (call.arguments[1].to_int() != 0) fail("unbind(): only supported for NestedTensor on dim=0");
    results[0] = IValue(components(call.tensor(0)));
}
void select(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    const JaggedParts& parts = jagged_parts(t);
    const std::int64_t dim = wrap_dim(call.arguments[1].to_int(), t.dim()), index = call.arguments[2].to_int();
    if (dim == 0) {
        if (index < -parts.batch() || index >= parts.batch()) fail("list index out of range");
        const Sequence each = sequences_of(t)[static_cast<std::size_t>(index < 0 ? index + parts.batch() : index)];
        results[0] = kNarrow(parts.values, parts.ragged - 1, each.start, each.length);
        return;
    }
    if (parts.lengths.defined())
        fail_with_value("select(): not yet supported on dim != 0 for non-contiguous nested tensor with holes");
    const std::int64_t inner = dense_dim(call, t, dim, t.dim());
    results[0] = with_jagged_values(t, kSelect(parts.values, inner, index), parts.ragged - (inner < parts.ragged - 1));
}
void unsqueeze(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    const JaggedParts& parts = jagged_parts(t);
    const std::int64_t inner = dense_dim(call, t, call.arguments[1].to_int(), t.dim() + 1, true);
    results[0] = with_jagged_values(t, kUnsqueeze(parts.values, inner), parts.ragged + (inner <= parts.ragged - 1));
}
void transpose(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    const JaggedParts& parts = jagged_parts(t);
    const std::int64_t a = wrap_dim(call.arguments[1].to_int(), t.dim());
    const std::int64_t b = wrap_dim(call.arguments[2].to_int(), t.dim());
    const bool moves = a == parts.ragged || b == parts.ragged;
    if (moves && (a == 0 || b == 0)) fail_with_value("Transpose is not supported on the batch dimension for jagged NT");
    if (a == 0 || b == 0) fail("transpose(): not supported for NestedTensor on dim=0");
    results[0] = with_jagged_values(t, kTranspose(parts.values, a - 1, b - 1),
                                    !moves              ? parts.ragged
                                    : a == parts.ragged ? b
                                                        : a);
}
void permute(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    const JaggedParts& parts = jagged_parts(t);
    Dims order;
    for (const IValue& each : call.arguments[1].to_list().elements) order.push_back(wrap_dim(each.to_int(), t.dim()));
    if (static_cast<std::int64_t>(order.size()) != t.dim()) {
        fail_with_value(concat("permute(): number of dimensions in the tensor input (", t.dim(),
                               ") does not match the length of the desired ordering of dimensions (", order.size(),
                               ")."));
    }
    if (std::set<std::int64_t>(order.begin(), order.end()).size() != order.size())
        fail_with_value("permute(): duplicate dims are not allowed.");
    if (parts.lengths.defined()) fail_with_value("permute(): not supported on jagged layout nested tensor with holes");
    if (order[0] != 0) fail_with_value("Permute is not supported on the batch dimension for jagged NT");
    const auto place = std::find(order.begin(), order.end(), parts.ragged) - order.begin();
    Dims inner;
    for (std::size_t i = 1; i < order.size(); ++i) inner.push_back(order[i] - 1);
    results[0] = with_jagged_values(t, kPermute(parts.values, inner), place);
}
void view(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    const JaggedParts& parts = jagged_parts(t);
    Dims size;
    for (const IValue& each : call.arguments[1].to_list().elements) size.push_back(each.to_int());
    const bool same = std::ranges::equal(t.sizes(), span_of(size));
    if (parts.ragged != 1 && !same) {
        fail(concat("view(): does not support ragged_idx != 1 except when inp._size == size. inp._size is (",
                    tuple_text(t.sizes()), ") and size is (", tuple_text(span_of(size)), ")."));
    }
    if (size.size() < 3 || !same_raggedness(t, span_of(size)))
        fail(concat("view(): cannot view shape ", tuple_text(t.sizes()), " as ", shape_list_text(span_of(size))));
    Dims inner(size.begin() + 1, size.end());
    inner[static_cast<std::size_t>(parts.ragged - 1)] = parts.values.size(parts.ragged - 1);
    results[0] =
        with_jagged_values(t, call.function() == "view" ? kView(parts.values, inner) : kReshape(parts.values, inner));
}
void join(const Call& call, IValue* results) {
    const bool stacks = call.function() == "stack";
    const auto& given = call.arguments[0].to_list().elements;
    const auto found = std::ranges::find_if(given, [](const IValue& t) { return is_jagged(t.to_tensor()); });
    const Tensor first = found->to_tensor();
    TensorList values;
    for (const IValue& each : given) {
        const Tensor t = each.to_tensor();
        if (!is_jagged(t) && stacks) fail("stack(): expected all nested tensors inputs");
        if (is_jagged(t) && !same_raggedness(first, t.sizes())) {
            fail(stacks ? "stack(): expected all nested tensors to have the same nested structure"
                        : "cat(): expected all nested tensors to have the same nested structure");
        }
        values.push_back(is_jagged(t) ? jagged_parts(t).values : kExpandAs(t, jagged_parts(first).values));
    }
    const std::int64_t inner = dense_dim(call, first, call.arguments[1].to_int(), first.dim() + (stacks ? 1 : 0));
    results[0] = with_jagged_values(first, stacks ? kStack(values, inner) : kCat(values, inner));
}

// What a reduction is of: the dimensions of the whole.
struct Reduced {
    Dims inner;  // of the values, each once
    bool batch = false, ragged = false, others = false;
};
Reduced reduced(const Tensor& t, const IValue& given) {
    Reduced out;
    Dims dims;
    if (given.is_int()) dims.push_back(given.to_int());
    if (given.is_list())
        for (const IValue& each : given.to_list().elements) dims.push_back(each.to_int());
    for (const std::int64_t each : dims) {
        const std::int64_t dim = wrap_dim(each, t.dim());
        (dim == 0 ? out.batch : dim == jagged_parts(t).ragged ? out.ragged : out.others) = true;
        const std::int64_t inner = inner_dim(t, dim);
        if (std::find(out.inner.begin(), out.inner.end(), inner) == out.inner.end()) out.inner.push_back(inner);
    }
    return out;
}
IValue as_given(const IValue& given, const Dims& dims) { return given.is_int() ? IValue(dims[0]) : IValue(dims); }

double padding_of(const Call& call, ScalarType dtype) {
    const std::string name = call.function();
    const double most = dtype == ScalarType::Float64    ? std::numeric_limits<double>::max()
                        : dtype == ScalarType::Float16  ? 65504.0
                        : dtype == ScalarType::BFloat16 ? 3.3895313892515355e38
                                                        : static_cast<double>(std::numeric_limits<float>::max());
    if (name == "min" || name == "amin" || name == "argmin") return most;
    if (name == "max" || name == "amax" || name == "argmax") return -most;
    return name == "prod" || name == "all" ? 1 : 0;
}

// (self, dims, keepdim, ...) and (self, dtype).
void reduce(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    const JaggedParts& parts = jagged_parts(t);
    const std::string name = call.function();
    std::vector<IValue> changed = call.copied();
    changed[0] = parts.values;
    const bool takes_dims = call.arguments.size() > 2;
    const bool keeps = takes_dims && changed[2].is_bool() && changed[2].to_bool();
    const auto set_results = [&](std::vector<IValue> made) { std::move(made.begin(), made.end(), results); };
    const auto each_with = [&](std::vector<IValue> made, const auto& change) {
        for (IValue& one : made) one = change(one.to_tensor());
        set_results(std::move(made));
    };
    if (!takes_dims) return set_results(call.run(changed));
    const Reduced what = reduced(t, changed[1]);
    if (what.inner.empty()) {
        auto made = call.run(changed);
        if (!keeps) return set_results(std::move(made));
        return each_with(std::move(made), [&](const Tensor& one) { return kUnsqueeze(one, parts.ragged); });
    }
    if (what.ragged && parts.lengths.defined()) {
        fail(concat(name,
                    "(): reducing across the ragged dimension is not supported for non-contiguous nested tensors "
                    "with holes"));
    }
    if (what.ragged && !what.batch) {
        if (what.others) {
            fail(name == "mean" ? "Cannot reduce on both ragged and non-batch dimensions without also reducing on batch"
                                : concat(name,
                                         "(): reducing along a ragged and non-batch dimension is not supported "
                                         "for nested tensors"));
        }
        const auto most = parts.known->most ? *parts.known->most : parts.values.size(0);
        changed[1] = as_given(call.arguments[1], Dims{parts.ragged});
        if (name == "mean") {
            std::vector<double> lengths;
            for (const Sequence& each : sequences_of(t)) lengths.push_back(static_cast<double>(each.length));
            Dims shape(static_cast<std::size_t>(keeps ? t.dim() : t.dim() - 1), 1);
            shape[0] = parts.batch();
            const Tensor sum = kSumDim(to_padded(t, 0, most), Dims{parts.ragged}, keeps, changed[3]);
            const Tensor counts = tensor_of(std::span<const double>(lengths), span_of(shape));
            const IValue dtype = static_cast<std::int64_t>(sum.dtype());
            results[0] = kDiv(sum, kToDevice(counts, dtype, IValue(), sum.device()));
            return;
        }
        changed[0] = to_padded(t, padding_of(call, t.dtype()), most);
        return set_results(call.run(changed));
    }
    changed[1] = as_given(call.arguments[1], what.inner);
    if (what.ragged) {
        auto made = call.run(changed);
        if (!keeps) return set_results(std::move(made));
        return each_with(std::move(made), [&](const Tensor& one) { return kUnsqueeze(one, std::int64_t{0}); });
    }
    if (what.batch) {
        fail(concat(name,
                    "(): reducing along the batch dimension but not the ragged dimension is not supported for "
                    "nested tensors"));
    }
    std::int64_t ragged = parts.ragged;
    if (!keeps) ragged -= std::ranges::count_if(what.inner, [&](std::int64_t d) { return d < parts.ragged - 1; });
    each_with(call.run(changed), [&](const Tensor& one) { return with_jagged_values(t, one, ragged); });
}

void softmax(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    const JaggedParts& parts = jagged_parts(t);
    const std::string name = call.function();
    const Reduced what = reduced(t, call.arguments[1]);
    std::vector<IValue> changed = call.copied();
    if (what.batch) fail(concat(name, "(): not supported when reducing across the batch dimension for NestedTensor"));
    if (what.ragged && name == "log_softmax")
        fail("log_softmax(): not supported when reducing along the ragged dimension for NestedTensor");
    if (what.ragged && parts.ragged > 1)
        fail("softmax(): not supported when reducing along the ragged dimension for ragged_idx > 1 for NestedTensor");
    if (what.ragged && parts.lengths.defined()) {
        fail(
            "softmax(): not supported where lengths is not None if reducing across the ragged dimension for "
            "NestedTensor");
    }
    if (!what.ragged) {
        changed[0] = parts.values;
        changed[1] = what.inner[0];
        return give(call, call.run(changed), t, parts.ragged, results);
    }
    changed[0] = to_padded(t, -std::numeric_limits<double>::infinity());
    changed[1] = std::int64_t{1};
    results[0] =
        with_jagged_values(t, unpadded_rows(call.run(changed)[0].to_tensor(), sequences_of(t), parts.values.size(0)));
}

void matmul(const Call& call, IValue* results) {
    const Tensor a = call.tensor(0), b = call.tensor(1);
    const bool is_bmm = call.function() == "bmm";
    if (is_bmm && a.dim() != 3) fail_with_value("bmm(): input must be 3D");
    if (is_bmm && b.dim() != 3) fail_with_value("bmm(): mat2 must be 3D");
    const auto ragged = [](const Tensor& t) { return jagged_parts(t).ragged; };
    const auto padded = [&](const Tensor& nested) {
        const Tensor filled = to_padded(nested, 0);
        const Tensor product = is_jagged(a) ? kMatmul(filled, b) : kMatmul(a, filled);
        const std::int64_t r = ragged(nested), total = jagged_parts(nested).values.size(r - 1);
        const Tensor rows = r == 1 ? product : kTranspose(product, std::int64_t{1}, r);
        return with_jagged_values(nested, ragged_first(unpadded_rows(rows, sequences_of(nested), total), r - 1));
    };
    if (is_jagged(a) && !is_jagged(b)) {
        if (a.dim() >= 3 && a.dim() == b.dim() && ragged(a) < a.dim() - 1)
            results[0] = padded(a);
        else if (b.dim() == 2 && a.dim() > 2 && ragged(a) < a.dim() - 1)
            results[0] = with_jagged_values(a, kMatmul(jagged_parts(a).values, b));
    } else if (!is_jagged(a)) {
        if (b.dim() >= 3 && a.dim() == b.dim() && ragged(b) >= 2)
            results[0] = padded(b);
        else if (a.dim() == 2 && b.dim() > 2 && ragged(b) >= 2)
            results[0] = with_jagged_values(b, kMatmul(a, jagged_parts(b).values));
    } else if (a.dim() > 3 && b.dim() > 3 && same_raggedness(a, b.sizes())) {
        results[0] = with_jagged_values(a, kMatmul(jagged_parts(a).values, jagged_parts(b).values));
    } else if (a.dim() == 3 && b.dim() == 3 && ragged(a) == 2 && ragged(b) == 1 && a.sizes()[2] == b.sizes()[1]) {
        const TensorList left = components(a), right = components(b);
        TensorList products;
        for (std::size_t i = 0; i < left.size(); ++i) products.push_back(kMatmul(left[i], right[i]));
        results[0] = kStack(products, std::int64_t{0});
    }
    if (results[0].is_tensor()) return;
    const std::string own = tuple_text(a.sizes()), other = tuple_text(b.sizes());
    fail(concat("matmul(): not supported between inputs of shapes ", is_jagged(a) ? own : size_object_text(a.sizes()),
                " and ", size_object_text(b.sizes())));
}

void values_of(const Call& call, IValue* results) { results[0] = kGetValues(jagged_parts(call.tensor(0)).values); }
void is_same_size(const Call& call, IValue* results) {
    results[0] = IValue(std::ranges::equal(call.tensor(0).sizes(), call.tensor(1).sizes()));
}

}  // namespace

bool nested_ops::same_raggedness(const Tensor& a, IntSpan sizes) {
    const auto count = static_cast<std::size_t>(jagged_parts(a).ragged + 1);
    return sizes.size() >= count && std::equal(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(count),
                                               a.sizes().begin(), [](auto s, auto own) { return s == own || s == -1; });
}

TensorList nested_ops::components(const Tensor& t) {
    const JaggedParts& parts = jagged_parts(t);
    TensorList out;
    for (const Sequence& each : sequences_of(t))
        out.push_back(kNarrow(parts.values, parts.ragged - 1, each.start, each.length));
    return out;
}

Tensor nested_ops::jagged_of(const TensorList& components, std::int64_t ragged) {
    std::vector<std::int64_t> offsets{0};
    for (const Tensor& each : components) offsets.push_back(offsets.back() + each.size(ragged - 1));
    const Dims count{static_cast<std::int64_t>(offsets.size())};
    const Tensor places = tensor_of(std::span<const std::int64_t>(offsets), span_of(count));
    return make_jagged(kCat(components, ragged - 1), places, {}, ragged, nullptr);
}

void nested_ops::pointwise_on_jagged(const Call& call, IValue* results) { pointwise(call, results); }

void nested_ops::add_jagged_rules(RuleTable& table) {
    for (const std::string_view name :
         {"dropout", "zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like", "randint_like",
          "detach", "clone", "to", "_to_copy", "fill_", "zero_"})
        table[name] = on_values;
    for (const std::string_view name :
         {"sum", "mean", "any", "all", "max", "min", "amax", "amin", "argmax", "argmin", "prod"})
        table[name] = reduce;
    for (const std::string_view name : {"split_with_sizes", "split"}) table[name] = along_dense<2>;
    for (const std::string_view name : {"narrow", "slice", "squeeze", "unflatten"}) table[name] = along_dense<1>;
    table["linear"] = linear;
    table["embedding"] = embedding;
    table["unbind"] = unbind;
    table["select"] = select;
    table["unsqueeze"] = unsqueeze;
    table["transpose"] = transpose;
    table["permute"] = permute;
    table["view"] = view;
    table["reshape"] = view;
    table["cat"] = join;
    table["stack"] = join;
    table["softmax"] = softmax;
    table["log_softmax"] = softmax;
    table["matmul"] = matmul;
    table["bmm"] = matmul;
    table["values"] = values_of;
    table["is_same_size"] = is_same_size;
}

}  // namespace loupe
