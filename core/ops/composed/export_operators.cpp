// SPDX-License-Identifier: Apache-2.0
// Operators that programs of torch.export call and models of PyTorch 1 do not: checks of sizes, batch normalisation by
// its forms, reductions over several dimensions.

#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/ops/composed/composite.h"
#include "core/ops/composed/family.h"

namespace loupe::composed {
namespace {

using ThreeTensors = std::tuple<Tensor, Tensor, Tensor>;

void require(bool holds, const std::string& what) {
    if (!holds) throw Error(ErrorKind::Run, what);
}

// --- checks ---

void assert_scalar(Arguments arguments, IValue*) {
    require(arguments[0].to_scalar().to_bool(), arguments[1].to_string());
}

void constrain_range(Arguments arguments, IValue*) {
    const std::int64_t size = arguments[0].to_scalar().to_int();
    const IValue &least = arguments[1], &most = arguments[2];
    const bool is_inside = (least.is_none() || size >= least.to_int()) && (most.is_none() || size <= most.to_int());
    require(is_inside, concat("Invalid value range for ", size, " between [",
                              least.is_none() ? std::string("-inf") : std::to_string(least.to_int()), ", ",
                              most.is_none() ? std::string("inf") : std::to_string(most.to_int()), "]."));
}

void sym_is_contiguous(Arguments arguments, IValue* results) {
    static const Operator* const op = find_operator("aten::is_contiguous.memory_format");
    call_operator(*op, arguments, results);
}

// --- several dimensions ---

// As counted from 0, the last first.
std::vector<std::int64_t> descending_dims(const Tensor& self, const IValue& given) {
    std::vector<std::int64_t> dims;
    if (given.is_none()) {
        for (std::int64_t d = 0; d < self.dim(); ++d) dims.push_back(d);
    } else {
        for (const std::int64_t d : given.to_ints()) {
            const std::int64_t rank = std::max<std::int64_t>(self.dim(), 1);
            if (d < -rank || d >= rank) {
                throw Error(ErrorKind::Run, concat("Dimension out of range (expected to be in range of [", -rank, ", ",
                                                   rank - 1, "], but got ", d, ")"));
            }
            dims.push_back(d < 0 ? d + rank : d);
        }
    }
    std::ranges::sort(dims, std::greater());
    for (std::size_t i = 1; i < dims.size(); ++i)
        require(dims[i] != dims[i - 1], concat("dim ", dims[i], " appears multiple times in the list of dims"));
    return dims;
}

void squeeze_dims(Arguments arguments, IValue* results) {
    static const OperatorHandle<> alias{"aten::alias"};
    const Tensor self = arguments[0].to_tensor();
    Tensor out = alias(self);
    for (const std::int64_t d : descending_dims(self, arguments[1])) {
        if (self.dim() > 0 && self.size(d) == 1) out = fn::squeeze(out, d);
    }
    results[0] = IValue(out);
}

Tensor reduced(Arguments arguments, const OperatorHandle<>& over_dim, const OperatorHandle<>& to_truth) {
    Tensor out =
        to_truth(arguments[0].to_tensor(), static_cast<std::int64_t>(ScalarType::Bool), false, false, IValue());
    const Tensor self = out;
    if (self.dim() == 0) return out;
    for (const std::int64_t d : descending_dims(self, arguments[1])) out = over_dim(out, d, arguments[2].to_bool());
    return out;
}

const OperatorHandle<>& to_dtype() {
    static const OperatorHandle<> handle{"aten::to.dtype"};
    return handle;
}

void any_dims(Arguments arguments, IValue* results) {
    static const OperatorHandle<> any{"aten::any.dim"};
    results[0] = IValue(reduced(arguments, any, to_dtype()));
}

void all_dims(Arguments arguments, IValue* results) {
    static const OperatorHandle<> all{"aten::all.dim"};
    results[0] = IValue(reduced(arguments, all, to_dtype()));
}

// --- batch normalisation ---

Tensor optional_tensor(const IValue& value) { return value.is_none() ? Tensor() : value.to_tensor(); }

void set_three(const ThreeTensors& from, IValue* results) {
    results[0] = IValue(std::get<0>(from));
    results[1] = IValue(std::get<1>(from));
    results[2] = IValue(std::get<2>(from));
}

ThreeTensors normalise(const Arguments& arguments, const Tensor& mean, const Tensor& variance, bool training,
                       double momentum, double eps) {
    return fn::native_batch_norm(arguments[0].to_tensor(), optional_tensor(arguments[1]), optional_tensor(arguments[2]),
                                 mean, variance, training, momentum, eps);
}

void batch_norm_legit(Arguments arguments, IValue* results) {
    set_three(normalise(arguments, arguments[3].to_tensor(), arguments[4].to_tensor(), arguments[5].to_bool(),
                        arguments[6].to_double(), arguments[7].to_double()),
              results);
}

void batch_norm_no_stats(Arguments arguments, IValue* results) {
    set_three(normalise(arguments, {}, {}, arguments[3].to_bool(), arguments[4].to_double(), arguments[5].to_double()),
              results);
}

void batch_norm_no_training(Arguments arguments, IValue* results) {
    set_three(normalise(arguments, arguments[3].to_tensor(), arguments[4].to_tensor(), false, arguments[5].to_double(),
                        arguments[6].to_double()),
              results);
}

void batch_norm_functional(Arguments arguments, IValue* results) {
    static const OperatorHandle<> clone{"aten::clone"};
    const Tensor mean = clone(arguments[3].to_tensor(), IValue());
    const Tensor variance = clone(arguments[4].to_tensor(), IValue());
    set_three(normalise(arguments, mean, variance, arguments[5].to_bool(), arguments[6].to_double(),
                        arguments[7].to_double()),
              results);
    results[3] = IValue(mean);
    results[4] = IValue(variance);
}

void batch_norm_with_update(Arguments arguments, IValue* results) {
    set_three(normalise(arguments, arguments[3].to_tensor(), arguments[4].to_tensor(), true, arguments[5].to_double(),
                        arguments[6].to_double()),
              results);
    constexpr std::int64_t kNone[] = {0};
    results[3] = IValue(zeros(IntSpan(kNone), ScalarType::UInt8));
}

// --- softmax of rows that are masked as a whole ---

void safe_softmax(Arguments arguments, IValue* results) {
    static const OperatorHandle<> all{"aten::all.dim"};
    const Tensor self = arguments[0].to_tensor();
    const std::int64_t dim = arguments[1].to_int();
    const Tensor is_masked = all(fn::eq_scalar(self, Scalar(-std::numeric_limits<double>::infinity())), dim, true);
    const Tensor out = fn::softmax(fn::masked_fill(self, is_masked, Scalar(0)), dim, arguments[2]);
    results[0] = IValue(fn::masked_fill(out, is_masked, Scalar(0)));
}

// --- chosen elements ---

// Exactly `size` places: the rest are cut, or are fill_value.
void nonzero_static(Arguments arguments, IValue* results) {
    static const OperatorHandle<> full{"aten::full"};
    static const OperatorHandle<> narrow{"aten::narrow"};
    const Tensor places = fn::nonzero(arguments[0].to_tensor());
    const std::int64_t size = arguments[1].to_int();
    require(size >= 0, concat("nonzero_static: 'size' must be an non-negative integer, got ", size));
    if (places.size(0) >= size) {
        results[0] = IValue(narrow(places, 0, 0, size));
        return;
    }
    const std::int64_t more[] = {size - places.size(0), places.size(1)};
    const Tensor filled = full(IValue(IntSpan(more)), arguments[2], static_cast<std::int64_t>(ScalarType::Int64),
                               IValue(), IValue(places.device()), IValue());
    results[0] = IValue(fn::cat(TensorList{places, filled}, 0));
}

// Indices outside of the tensor count where the mask leaves them out.
IValue clamped_indices(const Tensor& self, const IValue& indices) {
    static const OperatorHandle<> clamp{"aten::clamp"};
    std::vector<IValue> out;
    for (const IValue& index : indices.to_list().elements) {
        if (index.is_none()) {
            out.push_back(index);
            continue;
        }
        const std::int64_t size = self.size(static_cast<std::int64_t>(out.size()));
        out.emplace_back(clamp(index.to_tensor(), IValue(-size), IValue(size - 1)));
    }
    return IValue(make_ptr<ListObject>(types::optional(types::tensor()), std::move(out)));
}

Tensor logical_not(const Tensor& mask) {
    static const OperatorHandle<> handle{"aten::logical_not"};
    return handle(mask);
}

void unsafe_masked_index(Arguments arguments, IValue* results) {
    const Tensor self = arguments[0].to_tensor();
    const Tensor mask = arguments[1].to_tensor();
    const Tensor taken = fn::index(self, clamped_indices(self, arguments[2]));
    results[0] = IValue(fn::masked_fill(taken, logical_not(mask), arguments[3]));
}

void unsafe_masked_index_put(Arguments arguments, IValue* results) {
    static const OperatorHandle<> index_put{"aten::index_put"};
    const Tensor self = arguments[0].to_tensor();
    const Tensor mask = arguments[1].to_tensor();
    const Tensor values = fn::masked_fill(arguments[3].to_tensor(), logical_not(mask), Scalar(0));
    results[0] = IValue(index_put(self, clamped_indices(self, arguments[2]), values, true));
}

// Each tensor in as many equal parts, the last filled up with zeros, side by side.
void chunk_cat(Arguments arguments, IValue* results) {
    static const OperatorHandle<> pad{"aten::constant_pad_nd"};
    static const OperatorHandle<> reshape{"aten::reshape"};
    const TensorList tensors = arguments[0].to_tensors();
    const std::int64_t chunks = arguments[2].to_int();
    require(!tensors.empty() && chunks >= 1, "_chunk_cat expects tensors and at least one chunk");
    const std::int64_t given = arguments[1].to_int();
    const std::int64_t dim = given < 0 ? given + tensors.front().dim() : given;
    TensorList parts;
    for (const Tensor& tensor : tensors) {
        require(dim >= 0 && dim < tensor.dim(), "_chunk_cat: dim is out of range");
        const std::int64_t each = (tensor.size(dim) + chunks - 1) / chunks;
        std::vector<std::int64_t> padding(static_cast<std::size_t>(2 * (tensor.dim() - dim)), 0);
        padding.back() = each * chunks - tensor.size(dim);
        std::vector<std::int64_t> sizes(tensor.sizes().begin(), tensor.sizes().begin() + dim);
        sizes.insert(sizes.end(), {chunks, -1});
        parts.push_back(reshape(pad(tensor, IValue(padding), Scalar(0)), IValue(sizes)));
    }
    results[0] = IValue(fn::cat(parts, dim + 1));
}

// --- ranges between tensors ---

template <const char* Name>
void from_tensors(Arguments arguments, IValue* results) {
    static const Operator* const op = find_operator(Name);
    std::vector<IValue> values(arguments.begin(), arguments.end());
    for (std::size_t i = 0; i < 2; ++i) {
        if (values[i].is_tensor()) values[i] = IValue(item(values[i].to_tensor()));
    }
    call_operator(*op, values, results);
}

constexpr char kLinspace[] = "aten::linspace";
constexpr char kLogspace[] = "aten::logspace";

constexpr std::string_view kBetween = "As with numbers in place of the tensors.";
constexpr std::string_view kNormalises = "Batch normalisation; gives the batch's mean and 1/std too.";

constexpr OperatorRecord kRecords[] = {
    composite("aten::_assert_scalar(Scalar self, str assert_msg) -> ()", "Fails for zero and False.", assert_scalar),
    composite("aten::sym_constrain_range(Scalar size, *, int? min=None, int? max=None) -> ()",
              "Fails for a number outside the range.", constrain_range),
    composite("aten::sym_constrain_range_for_size(Scalar size, *, int? min=None, int? max=None) -> ()",
              "Fails for a number outside the range.", constrain_range),
    composite("aten::sym_is_contiguous(Tensor self, MemoryFormat memory_format=0) -> bool",
              "Do the elements lie in that order without gaps?", sym_is_contiguous),
    composite("aten::squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)",
              "Without these dimensions, where their size is 1.", squeeze_dims),
    composite("aten::any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",
              "Is some element of these dimensions not zero?", any_dims),
    composite("aten::all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",
              "Are all elements of these dimensions other than zero?", all_dims),
    composite("aten::_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, "
              "Tensor(b!) running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
              kNormalises, batch_norm_legit),
    composite(
        "aten::_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training, float "
        "momentum, float eps) -> (Tensor, Tensor, Tensor)",
        kNormalises, batch_norm_no_stats),
    composite("aten::_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, Tensor "
              "running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
              kNormalises, batch_norm_no_training),
    composite("aten::_native_batch_norm_legit_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor "
              "running_mean, Tensor running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor, "
              "Tensor running_mean_out, Tensor running_var_out)",
              "Batch normalisation that gives the running statistics instead of moving them.", batch_norm_functional),
    composite("aten::_batch_norm_with_update(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, "
              "Tensor(b!) running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor)",
              kNormalises, batch_norm_with_update),
    composite("aten::_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
              "softmax that is 0 where all of a row is -inf.", safe_softmax),
    composite("aten::nonzero_static(Tensor self, *, int size, int fill_value=-1) -> Tensor",
              "Places of elements that are not zero: exactly as many as asked for.", nonzero_static),
    composite("aten::_unsafe_masked_index(Tensor self, Tensor mask, Tensor?[] indices, Scalar fill) -> Tensor",
              "Elements by indices where the mask holds, else fill.", unsafe_masked_index),
    composite(
        "aten::_unsafe_masked_index_put_accumulate(Tensor self, Tensor mask, Tensor?[] indices, Tensor values) -> "
        "Tensor",
        "Adds values at indices where the mask holds.", unsafe_masked_index_put),
    composite("aten::_chunk_cat(Tensor[] tensors, int dim, int num_chunks) -> Tensor",
              "Tensors in equal parts, filled up with zeros, side by side.", chunk_cat),
    composite("aten::linspace.Tensor_Tensor(Tensor start, Tensor end, int steps, *, ScalarType? dtype=None, Layout? "
              "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
              kBetween, from_tensors<kLinspace>),
    composite("aten::linspace.Tensor_Scalar(Tensor start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? "
              "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
              kBetween, from_tensors<kLinspace>),
    composite("aten::linspace.Scalar_Tensor(Scalar start, Tensor end, int steps, *, ScalarType? dtype=None, Layout? "
              "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
              kBetween, from_tensors<kLinspace>),
    composite("aten::logspace.Tensor_Tensor(Tensor start, Tensor end, int steps, float base=10., *, ScalarType? "
              "dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
              kBetween, from_tensors<kLogspace>),
    composite("aten::logspace.Tensor_Scalar(Tensor start, Scalar end, int steps, float base=10., *, ScalarType? "
              "dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
              kBetween, from_tensors<kLogspace>),
    composite("aten::logspace.Scalar_Tensor(Scalar start, Tensor end, int steps, float base=10., *, ScalarType? "
              "dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
              kBetween, from_tensors<kLogspace>),
};

}  // namespace

std::span<const OperatorRecord> export_operator_records() { return kRecords; }

}  // namespace loupe::composed
