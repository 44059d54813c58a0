// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/torch_limits.h"

#include <cmath>
#include <cstdio>

#include "core/base/strings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/error.h"
#include "core/python/torch/torch_objects.h"

namespace loupe::python {
namespace {

struct FloatLimits {
    ScalarType dtype;
    int mantissa;       // bits without the leading one
    int exponent;       // of the greatest power of two
    double resolution;  // decimal digits that are sure
};
constexpr FloatLimits kFloats[] = {{ScalarType::Float32, 23, 127, 1e-06},
                                   {ScalarType::Float64, 52, 1023, 1e-15},
                                   {ScalarType::Float16, 10, 15, 1e-03},
                                   {ScalarType::BFloat16, 7, 127, 1e-02}};

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
            const std::string text = value.is_string() ? value.to_string()
                                     : value.is_int()  ? std::to_string(value.to_int())
                                                       : short_text(value.to_double());
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
        const double epsilon = std::ldexp(1.0, -limits.mantissa);
        const double greatest = std::ldexp(2.0 - epsilon, limits.exponent);
        const double smallest = std::ldexp(1.0, 1 - limits.exponent);
        return IValue::other(make_ptr<LimitsObject>(
            cls, std::vector<std::pair<std::string, IValue>>{{"bits", element_size(dtype) * 8},
                                                             {"resolution", limits.resolution},
                                                             {"min", -greatest},
                                                             {"max", greatest},
                                                             {"eps", epsilon},
                                                             {"smallest_normal", smallest},
                                                             {"tiny", smallest},
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
    const bool is_unsigned = dtype == ScalarType::UInt8;
    const std::int64_t greatest = is_unsigned ? 255 : static_cast<std::int64_t>((std::uint64_t{1} << (bits - 1)) - 1);
    return IValue::other(make_ptr<LimitsObject>(
        cls, std::vector<std::pair<std::string, IValue>>{{"bits", bits},
                                                         {"min", is_unsigned ? std::int64_t{0} : -greatest - 1},
                                                         {"max", greatest},
                                                         {"dtype", IValue(dtype_name(dtype))}}));
}

}  // namespace loupe::python
