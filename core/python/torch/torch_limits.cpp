// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/torch_limits.h"

#include <cstdio>

#include "core/base/strings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/big_integer.h"
#include "core/python/language/error.h"
#include "core/python/torch/torch_objects.h"

namespace loupe::python {
namespace {

struct FloatLimits {
    ScalarType dtype;
    double greatest;
    double epsilon;
    double smallest_normal;
    double resolution;  // decimal digits that are sure
};
constexpr FloatLimits kFloats[] = {{ScalarType::Float32, 0x1.fffffep127, 0x1p-23, 0x1p-126, 1e-06},
                                   {ScalarType::Float64, 0x1.fffffffffffffp1023, 0x1p-52, 0x1p-1022, 1e-15},
                                   {ScalarType::Float16, 65504, 0x1p-10, 0x1p-14, 1e-03},
                                   {ScalarType::BFloat16, 0x1.fep127, 0x1p-7, 0x1p-126, 1e-02},
                                   {ScalarType::Float8E4M3FN, 448, 0x1p-3, 0x1p-6, 1},
                                   {ScalarType::Float8E5M2, 57344, 0x1p-2, 0x1p-14, 1},
                                   {ScalarType::Float8E4M3FNUZ, 240, 0x1p-3, 0x1p-7, 1},
                                   {ScalarType::Float8E5M2FNUZ, 57344, 0x1p-2, 0x1p-15, 1},
                                   {ScalarType::Float8E8M0FNU, 0x1p127, 1, 0x1p-127, 1}};

std::string short_text(double value) {
    char out[40];
    std::snprintf(out, sizeof out, "%g", value);
    return out;
}

class LimitsObject final : public Instance {
  public:
    LimitsObject(ClassPtr cls, std::vector<std::pair<std::string, IValue>> entries)
        : Instance(std::move(cls)), entries_(std::move(entries)) {}
    std::optional<IValue> find_attribute(std::string_view name) override {
        for (const auto& [key, value] : entries_) {
            if (key == name) return value;
        }
        return Instance::find_attribute(name);
    }
    std::string repr() override {
        std::string out = cls()->name() + "(";
        for (const auto& [key, value] : entries_) {
            if (key == "bits") continue;
            const std::string text = value.is_string()   ? value.to_string()
                                     : value.is_double() ? short_text(value.to_double())
                                                         : short_text(integer_to_double(value));
            out += concat(out.back() == '(' ? "" : ", ", key, "=", text);
        }
        return out + ")";
    }
    void clear_references() override {}

  private:
    std::vector<std::pair<std::string, IValue>> entries_;
};

ClassPtr limits_class(const char* name) {
    const auto out = make_ptr<ClassObject>(name, "torch", std::vector<ClassPtr>{});
    out->set_builtin(nullptr);
    return out;
}

ScalarType dtype_given(CallArguments& arguments, const char* function) {
    const BoundArguments given(arguments, function, {"type="});
    if (!given.has(0)) return default_dtype();
    if (const auto dtype = dtype_of(given[0])) return *dtype;
    throw_type_error(
        concat(function, "(): argument 'type' (position 1) must be torch.dtype, not ", torch_type_name(given[0])));
}

}  // namespace

IValue make_finfo(CallArguments arguments) {
    static const ClassPtr cls = limits_class("finfo");
    const ScalarType dtype = to_real_type(dtype_given(arguments, "finfo"));
    for (const FloatLimits& limits : kFloats) {
        if (limits.dtype != dtype) continue;
        const double least = is_unsigned(dtype) ? limits.smallest_normal : -limits.greatest;
        return IValue::other(make_ptr<LimitsObject>(
            cls, std::vector<std::pair<std::string, IValue>>{{"bits", element_size(dtype) * 8},
                                                             {"resolution", limits.resolution},
                                                             {"min", least},
                                                             {"max", limits.greatest},
                                                             {"eps", limits.epsilon},
                                                             {"smallest_normal", limits.smallest_normal},
                                                             {"tiny", limits.smallest_normal},
                                                             {"dtype", IValue(dtype_name(dtype))}}));
    }
    throw_type_error("torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'");
}

IValue make_iinfo(CallArguments arguments) {
    static const ClassPtr cls = limits_class("iinfo");
    const ScalarType dtype = dtype_given(arguments, "iinfo");
    if (!is_integral(dtype) || dtype == ScalarType::Bool) {
        throw_type_error("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'");
    }
    const std::int64_t bits = element_size(dtype) * 8;
    const bool has_sign = !is_unsigned(dtype);
    const std::uint64_t greatest = ~std::uint64_t{0} >> (64 - bits + (has_sign ? 1 : 0));
    const std::int64_t least = has_sign ? -static_cast<std::int64_t>(greatest) - 1 : 0;
    return IValue::other(
        make_ptr<LimitsObject>(cls, std::vector<std::pair<std::string, IValue>>{{"bits", bits},
                                                                                {"min", least},
                                                                                {"max", integer_of_unsigned(greatest)},
                                                                                {"dtype", IValue(dtype_name(dtype))}}));
}

}  // namespace loupe::python
