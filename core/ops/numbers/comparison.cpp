// SPDX-License-Identifier: Apache-2.0
// == != < <= > >= of numbers, strings, devices, lists and enums.

#include "core/ops/numbers/family.h"
#include "core/ops/numbers/typed.h"

namespace loupe::numbers {
namespace {

struct Equal {
    template <typename T>
    static bool apply(T a, T b) {
        return a == b;
    }
};
struct NotEqual {
    template <typename T>
    static bool apply(T a, T b) {
        return a != b;
    }
};
struct Less {
    static bool apply(Int a, Int b) { return a < b; }
    static bool apply(Float a, Float b) { return a < b; }
};
struct LessEqual {
    static bool apply(Int a, Int b) { return a <= b; }
    static bool apply(Float a, Float b) { return a <= b; }
};
struct Greater {
    static bool apply(Int a, Int b) { return (a > b); }
    static bool apply(Float a, Float b) { return (a > b); }
};
struct GreaterEqual {
    static bool apply(Int a, Int b) { return a >= b; }
    static bool apply(Float a, Float b) { return a >= b; }
};

bool same(const IValue& a, const IValue& b) { return values_equal(a, b); }
bool different(const IValue& a, const IValue& b) { return !values_equal(a, b); }

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::eq(Scalar a, Scalar b) -> bool", .summary = "a == b.", .kernel = binary_scalar<Equal>},
    {.schema = "aten::eq.complex(complex a, complex b) -> bool",
     .summary = "a == b.",
     .kernel = binary<Equal, Complex, Complex>},
    {.schema = "aten::eq.complex_float(complex a, float b) -> bool",
     .summary = "a == b.",
     .kernel = binary<Equal, Complex, Float>},
    {.schema = "aten::eq.float(float a, float b) -> bool", .summary = "a == b.", .kernel = binary<Equal, Float, Float>},
    {.schema = "aten::eq.float_complex(float a, complex b) -> bool",
     .summary = "a == b.",
     .kernel = binary<Equal, Float, Complex>},
    {.schema = "aten::eq.float_int(float a, int b) -> bool", .summary = "a == b.", .kernel = binary<Equal, Float, Int>},
    {.schema = "aten::eq.int(int a, int b) -> bool", .summary = "a == b.", .kernel = binary<Equal, Int, Int>},
    {.schema = "aten::eq.int_float(int a, float b) -> bool", .summary = "a == b.", .kernel = binary<Equal, Int, Float>},
    {.schema = "aten::eq.str(str a, str b) -> bool",
     .summary = "a == b, byte by byte.",
     .kernel = boxed<[](std::string_view a, std::string_view b) { return a == b; }>},
    {.schema = "aten::eq.bool(bool a, bool b) -> bool",
     .summary = "a == b.",
     .kernel = boxed<[](bool a, bool b) { return a == b; }>},
    {.schema = "aten::eq.device(Device a, Device b) -> bool",
     .summary = "Are the devices the same?",
     .kernel = boxed<[](Device a, Device b) { return a == b; }>},
    {.schema = "aten::eq.int_list(int[] a, int[] b) -> bool",
     .summary = "a == b, element by element.",
     .kernel = boxed<same>},
    {.schema = "aten::eq.float_list(float[] a, float[] b) -> bool",
     .summary = "a == b, element by element.",
     .kernel = boxed<same>},
    {.schema = "aten::eq.bool_list(bool[] a, bool[] b) -> bool",
     .summary = "a == b, element by element.",
     .kernel = boxed<same>},
    {.schema = "aten::eq.str_list(str[] a, str[] b) -> bool",
     .summary = "a == b, element by element.",
     .kernel = boxed<same>},
    {.schema = "aten::eq.enum(AnyEnumType a, AnyEnumType b) -> bool",
     .summary = "Are they the same member?",
     .kernel = boxed<same>},
    {.schema = "aten::ne(Scalar a, Scalar b) -> bool", .summary = "a != b.", .kernel = binary_scalar<NotEqual>},
    {.schema = "aten::ne.complex(complex a, complex b) -> bool",
     .summary = "a != b.",
     .kernel = binary<NotEqual, Complex, Complex>},
    {.schema = "aten::ne.complex_float(complex a, float b) -> bool",
     .summary = "a != b.",
     .kernel = binary<NotEqual, Complex, Float>},
    {.schema = "aten::ne.float(float a, float b) -> bool",
     .summary = "a != b.",
     .kernel = binary<NotEqual, Float, Float>},
    {.schema = "aten::ne.float_complex(float a, complex b) -> bool",
     .summary = "a != b.",
     .kernel = binary<NotEqual, Float, Complex>},
    {.schema = "aten::ne.float_int(float a, int b) -> bool",
     .summary = "a != b.",
     .kernel = binary<NotEqual, Float, Int>},
    {.schema = "aten::ne.int(int a, int b) -> bool", .summary = "a != b.", .kernel = binary<NotEqual, Int, Int>},
    {.schema = "aten::ne.int_float(int a, float b) -> bool",
     .summary = "a != b.",
     .kernel = binary<NotEqual, Int, Float>},
    {.schema = "aten::ne.str(str a, str b) -> bool",
     .summary = "a != b, byte by byte.",
     .kernel = boxed<[](std::string_view a, std::string_view b) { return a != b; }>},
    {.schema = "aten::ne.bool(bool a, bool b) -> bool",
     .summary = "a != b.",
     .kernel = boxed<[](bool a, bool b) { return a != b; }>},
    {.schema = "aten::ne.device(Device a, Device b) -> bool",
     .summary = "Do the devices differ?",
     .kernel = boxed<[](Device a, Device b) { return a != b; }>},
    {.schema = "aten::ne.int_list(int[] a, int[] b) -> bool",
     .summary = "a != b, element by element.",
     .kernel = boxed<different>},
    {.schema = "aten::ne.float_list(float[] a, float[] b) -> bool",
     .summary = "a != b, element by element.",
     .kernel = boxed<different>},
    {.schema = "aten::ne.bool_list(bool[] a, bool[] b) -> bool",
     .summary = "a != b, element by element.",
     .kernel = boxed<different>},
    {.schema = "aten::ne.str_list(str[] a, str[] b) -> bool",
     .summary = "a != b, element by element.",
     .kernel = boxed<different>},
    {.schema = "aten::ne.enum(AnyEnumType a, AnyEnumType b) -> bool",
     .summary = "Do the members differ?",
     .kernel = boxed<different>},
    {.schema = "aten::lt(Scalar a, Scalar b) -> bool", .summary = "a < b.", .kernel = binary_scalar<Less>},
    {.schema = "aten::lt.float(float a, float b) -> bool", .summary = "a < b.", .kernel = binary<Less, Float, Float>},
    {.schema = "aten::lt.float_int(float a, int b) -> bool", .summary = "a < b.", .kernel = binary<Less, Float, Int>},
    {.schema = "aten::lt.int(int a, int b) -> bool", .summary = "a < b.", .kernel = binary<Less, Int, Int>},
    {.schema = "aten::lt.int_float(int a, float b) -> bool", .summary = "a < b.", .kernel = binary<Less, Int, Float>},
    {.schema = "aten::lt.str(str a, str b) -> bool",
     .summary = "a < b, byte by byte.",
     .kernel = boxed<[](std::string_view a, std::string_view b) { return a < b; }>},
    {.schema = "aten::le(Scalar a, Scalar b) -> bool", .summary = "a <= b.", .kernel = binary_scalar<LessEqual>},
    {.schema = "aten::le.float(float a, float b) -> bool",
     .summary = "a <= b.",
     .kernel = binary<LessEqual, Float, Float>},
    {.schema = "aten::le.float_int(float a, int b) -> bool",
     .summary = "a <= b.",
     .kernel = binary<LessEqual, Float, Int>},
    {.schema = "aten::le.int(int a, int b) -> bool", .summary = "a <= b.", .kernel = binary<LessEqual, Int, Int>},
    {.schema = "aten::le.int_float(int a, float b) -> bool",
     .summary = "a <= b.",
     .kernel = binary<LessEqual, Int, Float>},
    {.schema = "aten::le.str(str a, str b) -> bool",
     .summary = "a <= b, byte by byte.",
     .kernel = boxed<[](std::string_view a, std::string_view b) { return a <= b; }>},
    {.schema = "aten::gt(Scalar a, Scalar b) -> bool", .summary = "a > b.", .kernel = binary_scalar<Greater>},
    {.schema = "aten::gt.float(float a, float b) -> bool",
     .summary = "a > b.",
     .kernel = binary<Greater, Float, Float>},
    {.schema = "aten::gt.float_int(float a, int b) -> bool",
     .summary = "a > b.",
     .kernel = binary<Greater, Float, Int>},
    {.schema = "aten::gt.int(int a, int b) -> bool", .summary = "a > b.", .kernel = binary<Greater, Int, Int>},
    {.schema = "aten::gt.int_float(int a, float b) -> bool",
     .summary = "a > b.",
     .kernel = binary<Greater, Int, Float>},
    {.schema = "aten::gt.str(str a, str b) -> bool",
     .summary = "a > b, byte by byte.",
     .kernel = boxed<[](std::string_view a, std::string_view b) { return (a > b); }>},
    {.schema = "aten::ge(Scalar a, Scalar b) -> bool", .summary = "a >= b.", .kernel = binary_scalar<GreaterEqual>},
    {.schema = "aten::ge.float(float a, float b) -> bool",
     .summary = "a >= b.",
     .kernel = binary<GreaterEqual, Float, Float>},
    {.schema = "aten::ge.float_int(float a, int b) -> bool",
     .summary = "a >= b.",
     .kernel = binary<GreaterEqual, Float, Int>},
    {.schema = "aten::ge.int(int a, int b) -> bool", .summary = "a >= b.", .kernel = binary<GreaterEqual, Int, Int>},
    {.schema = "aten::ge.int_float(int a, float b) -> bool",
     .summary = "a >= b.",
     .kernel = binary<GreaterEqual, Int, Float>},
    {.schema = "aten::ge.str(str a, str b) -> bool",
     .summary = "a >= b, byte by byte.",
     .kernel = boxed<[](std::string_view a, std::string_view b) { return a >= b; }>},
};

}  // namespace

std::span<const OperatorRecord> comparison_records() { return kRecords; }

}  // namespace loupe::numbers
