// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/export/call.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/kernels/promotion.h"

namespace loupe::onnx_export {
namespace {

const Operand kNone;

}  // namespace

const Operand& Call::operand(std::string_view name) const {
    if (const auto place = op_.schema.find_argument(name))
        return *place < arguments_.size() ? arguments_[*place] : kNone;
    // Operators on numbers name theirs a and b.
    const bool is_first = name == "self";
    if (!is_first && name != "other") return kNone;
    const auto place = op_.schema.find_argument(is_first ? "a" : "b");
    return place && *place < arguments_.size() ? arguments_[*place] : kNone;
}

void Call::unsupported_argument(std::string_view name, std::string_view why) const {
    unsupported(concat("the operator ", op_.full_name, " with an argument ", name, " ", why));
}

OnnxValue Call::tensor(std::string_view name) {
    OnnxValue value = exporter_.value_of(operand(name));
    if (is_complex(value.dtype)) unsupported("complex tensors");
    return value;
}

OnnxValue Call::value(std::string_view name, ScalarType dtype) { return b.cast(tensor(name), dtype); }

OnnxValues Call::tensors(std::string_view name) {
    const Operand& list = operand(name);
    if (!list.is_list() || list.list->sequence) unsupported_argument(name, "that is no list of known length");
    OnnxValues out;
    for (const Operand& each : list.list->elements) out.push_back(exporter_.value_of(each));
    return out;
}

OnnxValues Call::tensors(std::string_view name, ScalarType dtype) {
    OnnxValues out = tensors(name);
    for (OnnxValue& each : out) each = b.cast(each, dtype);
    return out;
}

bool Call::is_known(std::string_view name) const {
    const Operand& each = operand(name);
    if (each.is_list() && !each.list->sequence)
        return std::all_of(each.list->elements.begin(), each.list->elements.end(),
                           [](const Operand& element) { return element.kind == Operand::Kind::Constant; });
    return each.kind == Operand::Kind::Constant;
}

const IValue& Call::known(std::string_view name) const {
    const Operand& each = operand(name);
    if (each.kind != Operand::Kind::Constant) unsupported_argument(name, "that is computed by the model");
    return each.constant;
}

std::int64_t Call::integer(std::string_view name) const {
    const IValue& value = known(name);
    return value.is_double() ? static_cast<std::int64_t>(value.to_double()) : value.to_int();
}
double Call::real(std::string_view name) const { return known(name).to_double(); }
bool Call::flag(std::string_view name) const {
    const IValue& value = known(name);
    return value.is_bool() ? value.to_bool() : value.is_int() && value.to_int() != 0;
}
std::string Call::text(std::string_view name) const { return known(name).to_string(); }
Scalar Call::scalar(std::string_view name) const { return known(name).to_scalar(); }

std::vector<std::int64_t> Call::ints(std::string_view name) const {
    const Operand& each = operand(name);
    if (each.kind == Operand::Kind::Constant && each.constant.is_int()) return {each.constant.to_int()};
    if (!each.is_list() || !is_known(name)) unsupported_argument(name, "that is computed by the model");
    std::vector<std::int64_t> out;
    for (const Operand& element : each.list->elements) out.push_back(element.constant.to_int());
    return out;
}

std::vector<std::int64_t> Call::ints_or(std::string_view name, std::vector<std::int64_t> otherwise) const {
    if (!has(name)) return otherwise;
    std::vector<std::int64_t> given = ints(name);
    return given.empty() ? otherwise : given;
}

std::optional<ScalarType> Call::dtype(std::string_view name) const {
    if (!has(name)) return std::nullopt;
    return dtype_from_number(integer(name));
}

OnnxValue Call::dims(std::string_view name) {
    if (is_known(name)) return b.ints(ints(name));
    const Operand& each = operand(name);
    if (!each.is_list()) {
        const OnnxValue one = b.cast(exporter_.value_of(each), ScalarType::Int64);
        return b.rank(one) == 0 ? b.unsqueeze(one, {0}) : one;
    }
    if (each.list->sequence) unsupported_argument(name, "that is a list whose length is not known");
    OnnxValues parts;
    for (const Operand& element : each.list->elements)
        parts.push_back(
            b.reshape(b.cast(exporter_.value_of(element), ScalarType::Int64), std::array<std::int64_t, 1>{1}));
    return b.joined(parts, 0);
}

ScalarType Call::common(std::initializer_list<std::string_view> names) {
    Promotion promotion;
    const auto add = [&](const auto& self, const Operand& each) -> void {
        if (each.kind == Operand::Kind::Constant) {
            if (each.constant.is_number()) promotion.add(each.constant);
        } else if (each.kind == Operand::Kind::Number) {
            const ScalarType dtype = each.number.dtype;
            promotion.add(dtype == ScalarType::Bool ? IValue(true)
                          : is_floating(dtype)      ? IValue(1.0)
                                                    : IValue(std::int64_t{1}));
        } else if (each.is_tensor()) {
            const TensorState& state = *each.tensor;
            if (state.value.constant.defined())
                promotion.add(state.value.constant);
            else
                promotion.add(
                    empty(span_of(Dims(state.value.sizes ? state.value.sizes->size() : 1, 0)), state.value.dtype));
        } else if (each.list) {
            for (const Operand& element : each.list->elements) self(self, element);
        }
    };
    for (const std::string_view name : names) add(add, operand(name));
    return promotion.result();
}

ScalarType Call::result_dtype(std::size_t result) {
    if (fakes_ && result < (*fakes_)[0].size()) {
        const IValue& fake = (*fakes_)[0][result];
        if (fake.is_tensor()) return fake.to_tensor().dtype();
        if (fake.is_double()) return ScalarType::Float64;
        if (fake.is_int()) return ScalarType::Int64;
        if (fake.is_bool()) return ScalarType::Bool;
        if (fake.is_list() && !fake.to_list().elements.empty() && fake.to_list().elements[0].is_tensor())
            return fake.to_list().elements[0].to_tensor().dtype();
    }
    for (const Operand& each : arguments_) {
        if (each.is_tensor()) return each.tensor->value.dtype;
        if (each.list && each.list->sequence) return each.list->sequence->dtype;
    }
    const TypeKind kind = op_.schema.returns.empty() ? TypeKind::Tensor : op_.schema.returns[0].type->kind();
    return kind == TypeKind::Float  ? ScalarType::Float64
           : kind == TypeKind::Bool ? ScalarType::Bool
                                    : ScalarType::Int64;
}

ScalarType Call::floating(std::string_view name) {
    const ScalarType dtype = tensor(name).dtype;
    return is_floating(dtype) ? dtype : kDefaultDtype;
}

std::optional<Dims> Call::result_sizes(std::size_t result) const {
    if (!fakes_ || result >= (*fakes_)[0].size() || !(*fakes_)[0][result].is_tensor()) return std::nullopt;
    const Tensor first = (*fakes_)[0][result].to_tensor();
    const Tensor second = (*fakes_)[1][result].to_tensor();
    Dims sizes = to_dims(first.sizes());
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (first.sizes()[d] != second.sizes()[d]) sizes[d] = -1;
    }
    return sizes;
}

OnnxValue Call::target_sizes(std::string_view name) {
    const auto sizes = result_sizes();
    if (sizes && std::count(sizes->begin(), sizes->end(), -1) == 0) return b.ints(span_of(*sizes));
    return dims(name);
}

}  // namespace loupe::onnx_export
