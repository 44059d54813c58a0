// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>

#include "core/base/error.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/random.h"
#include "tests/fuzz/hostile_arguments.h"

namespace loupe::fuzz {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::array<std::int64_t, 12> kInts{0, 1, -1, 2, 7, -7, 100, -100, 1LL << 31, 1LL << 62, kMost, kLeast};
constexpr std::array<double, 8> kDoubles{0,
                                         -1,
                                         1e308,
                                         -1e308,
                                         5e-324,
                                         std::numeric_limits<double>::infinity(),
                                         -std::numeric_limits<double>::infinity(),
                                         std::numeric_limits<double>::quiet_NaN()};
constexpr std::array<ScalarType, 6> kDtypes{ScalarType::Bool,      ScalarType::Int64,   ScalarType::UInt8,
                                            ScalarType::Complex64, ScalarType::Float16, ScalarType::Float64};

Tensor blank(const Dims& sizes, ScalarType dtype) {
    const Tensor t = empty(span_of(sizes), dtype);
    fn::zero_(t);
    return t;
}
// Every element in one place.
Tensor in_one_place(const Dims& sizes, ScalarType dtype) {
    return blank(Dims{1}, dtype).view_as_strided(span_of(sizes), span_of(Dims(sizes.size(), 0)), 0);
}
Tensor filled(const Tensor& t, std::int64_t value) {
    const Tensor out = fn::clone(t);
    if (t.dtype() == ScalarType::Int64) fn::fill_(out, Scalar(value));
    return out;
}

// Shapes, dtypes and layouts that do not fit where t did.
std::vector<IValue> changes_of(const Tensor& t) {
    std::vector<IValue> out{IValue()};
    for (const Dims& sizes : {Dims{0}, Dims{}, Dims{1, 0, 2}, Dims{2, 3, 5, 7, 1, 2}})
        out.emplace_back(blank(sizes, t.dtype()));
    const Dims sizes = to_dims(t.sizes());
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        for (const std::int64_t step : {-1, 1}) {
            Dims other = sizes;
            other[d] = std::max<std::int64_t>(other[d] + step, 0);
            out.emplace_back(blank(other, t.dtype()));
        }
        Dims fewer = sizes;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(d));
        out.emplace_back(blank(fewer, t.dtype()));
    }
    Dims more = sizes;
    more.insert(more.begin(), 2);
    out.emplace_back(blank(more, t.dtype()));
    out.emplace_back(in_one_place(sizes, t.dtype()));
    for (const ScalarType dtype : kDtypes) out.emplace_back(blank(sizes, dtype));
    for (const std::int64_t value : {std::int64_t{-1}, std::int64_t{1000}, kMost, kLeast}) {
        if (t.dtype() == ScalarType::Int64) out.emplace_back(filled(t, value));
    }
    return out;
}

std::vector<IValue> changes_of(const IValue& value, const Type& type);

std::vector<IValue> changes_of_list(const ListObject& list, const Type& type) {
    const auto with = [&](const std::vector<IValue>& elements) {
        return IValue(make_ptr<ListObject>(list.element_type, elements));
    };
    std::vector<IValue> out{with({})};
    if (!list.elements.empty()) {
        std::vector<IValue> longer = list.elements;
        longer.push_back(longer.back());
        out.push_back(with(longer));
        out.push_back(with({list.elements.begin(), list.elements.end() - 1}));
    }
    for (std::size_t i = 0; i < std::min<std::size_t>(list.elements.size(), 3); ++i) {
        for (IValue& change : changes_of(list.elements[i], *type.element())) {
            std::vector<IValue> elements = list.elements;
            elements[i] = std::move(change);
            out.push_back(with(elements));
        }
    }
    return out;
}

template <typename Values>
std::vector<IValue> as_values(const Values& values) {
    std::vector<IValue> out;
    for (const auto value : values) out.emplace_back(value);
    return out;
}

std::vector<IValue> changes_of(const IValue& value, const Type& type) {
    if (type.kind() == TypeKind::Optional) {
        std::vector<IValue> out = changes_of(value, *type.element());
        out.emplace_back();
        return out;
    }
    if (value.is_tensor()) return changes_of(value.to_tensor());
    if (value.is_list() && type.kind() == TypeKind::List) return changes_of_list(value.to_list(), type);
    switch (type.kind()) {
        case TypeKind::Int:
            return as_values(kInts);
        case TypeKind::Float:
            return as_values(kDoubles);
        case TypeKind::Bool:
            return {true, false};
        case TypeKind::String:
            return {std::string(), std::string("mean"), std::string("no such")};
        case TypeKind::Number: {
            std::vector<IValue> out = as_values(kInts);
            for (const double d : kDoubles) out.emplace_back(d);
            out.emplace_back(std::complex<double>(1, 2));
            return out;
        }
        default:
            return {};
    }
}

// The written argument in the same memory as each other tensor: all of it, and one element on.
std::vector<IValue> overlaps_of(const Operator& op, std::size_t written, const std::vector<IValue>& arguments) {
    std::vector<IValue> out;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (i == written || !arguments[i].is_tensor() || (op.tensor_arguments >> i & 1) == 0) continue;
        const Tensor t = arguments[i].to_tensor();
        out.emplace_back(t);
        if (t.numel() < 2 || !t.is_contiguous()) continue;
        const std::array sizes{t.numel() - 1};
        const std::array strides{std::int64_t{1}};
        out.emplace_back(t.view_as_strided(sizes, strides, t.storage_offset() + 1));
    }
    return out;
}

std::optional<std::vector<IValue>> sample_of(const Operator& op) {
    if (op.record->samples == nullptr) return std::nullopt;
    try {
        Random random;
        const auto samples = op.record->samples(random, ScalarType::Float32);
        if (samples.empty()) return std::nullopt;
        std::vector<IValue> arguments = samples[0].arguments;
        for (std::size_t i = arguments.size(); i < op.argument_count(); ++i) {
            const Argument& argument = op.schema.arguments[i];
            const bool is_written = (op.written_arguments >> i & 1) != 0;
            arguments.push_back(argument.default_value ? *argument.default_value
                                : is_written           ? IValue(blank(Dims{0}, ScalarType::Float32))
                                                       : IValue());
        }
        return arguments;
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace

std::vector<std::vector<IValue>> systematic_arguments(const Operator& op) {
    const auto sample = sample_of(op);
    if (!sample) return {};
    std::vector<std::vector<IValue>> calls;
    for (std::size_t i = 0; i < op.argument_count(); ++i) {
        std::vector<IValue> changes = changes_of((*sample)[i], *op.schema.arguments[i].type);
        if ((op.written_arguments >> i & 1) != 0) {
            for (IValue& overlap : overlaps_of(op, i, *sample)) changes.push_back(std::move(overlap));
        }
        for (IValue& change : changes) {
            calls.push_back(*sample);
            calls.back()[i] = std::move(change);
        }
    }
    return calls;
}

}  // namespace loupe::fuzz
