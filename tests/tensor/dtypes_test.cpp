// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <bit>
#include <cmath>

#include "core/base/error.h"
#include "core/tensor/device.h"
#include "core/tensor/half.h"
#include "core/tensor/scalar.h"
#include "core/tensor/scalar_type.h"
#include "tests/support/table.h"

using namespace loupe;

namespace {

// The value of a binary16 by its definition.
double half_value(std::uint16_t bits) {
    const int exponent = (bits >> 10) & 0x1f;
    const int fraction = bits & 0x3ff;
    const double magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

}  // namespace

class DtypesTest : public QObject {
    Q_OBJECT
  private slots:
    void promotion_as_torch();
    void sizes_match_the_types();
    void names();
    void numbers_as_torch();
    void every_half_as_float();
    void rounding_as_torch();
    void every_float8_as_torch();
    void float8_rounding_as_torch();
    void bfloat16_round_trip();
    void scalars();
    void devices();
};

void DtypesTest::promotion_as_torch() {
    for (const auto& row : test::read_table("tensor/promotion.txt")) {
        const ScalarType a = dtype_from_name(row[0]).value();
        const ScalarType b = dtype_from_name(row[1]).value();
        const std::string what = row[0] + " " + row[1];
        if (row[2] == "error")
            QVERIFY_THROWS_EXCEPTION(Error, promote_types(a, b));
        else
            QVERIFY2(dtype_name(promote_types(a, b)) == row[2], what.c_str());
        QVERIFY2(can_cast(a, b) == (row[3] == "1"), what.c_str());
    }
}

void DtypesTest::sizes_match_the_types() {
    int count = 0;
    for (int number = 0; number < 50; ++number) {
        const auto dtype = dtype_from_number(number);
        if (!dtype) continue;
        ++count;
        QCOMPARE(dtype_index(*dtype), static_cast<std::size_t>(count - 1));
        visit_any_dtype(*dtype, [&]<typename T>(std::type_identity<T>) {
            QCOMPARE(element_size(*dtype), static_cast<std::int64_t>(sizeof(T)));
            QCOMPARE(scalar_type_of<T>, *dtype);
        });
        QCOMPARE(dtype_from_name(dtype_name(*dtype)), dtype);
        QCOMPARE(dtype_from_graph_name(dtype_graph_name(*dtype)), dtype);
        QCOMPARE(static_cast<int>(is_complex(*dtype)) + is_floating(*dtype) + is_integral(*dtype), 1);
        QCOMPARE(is_differentiable(*dtype), !is_integral(*dtype));
    }
    QCOMPARE(count, kDtypeCount);
    QCOMPARE(kDtypeCount, 21);
    QVERIFY_THROWS_EXCEPTION(Error, visit_dtype(ScalarType::UInt16, [](auto) {}));
}

void DtypesTest::names() {
    QCOMPARE(dtype_from_name("long"), std::optional(ScalarType::Int64));
    QCOMPARE(dtype_from_name("half"), std::optional(ScalarType::Float16));
    QVERIFY(!dtype_from_name("qint8"));
    QVERIFY(!dtype_from_graph_name("float"));
    QCOMPARE(to_real_type(ScalarType::Complex128), ScalarType::Float64);
    QCOMPARE(to_complex_type(ScalarType::Float32), ScalarType::Complex64);
    QCOMPARE(to_complex_type(ScalarType::Float16), ScalarType::Complex32);
    QCOMPARE(to_complex_type(ScalarType::Float64), ScalarType::Complex128);
}

// The enumeration of c10::ScalarType; 12 to 14 are quantized.
void DtypesTest::numbers_as_torch() {
    QCOMPARE(dtype_from_number(6), std::optional(ScalarType::Float32));
    QCOMPARE(dtype_from_number(15), std::optional(ScalarType::BFloat16));
    QCOMPARE(dtype_from_number(8), std::optional(ScalarType::Complex32));
    QCOMPARE(dtype_from_number(23), std::optional(ScalarType::Float8E5M2));
    QCOMPARE(dtype_from_number(24), std::optional(ScalarType::Float8E4M3FN));
    QCOMPARE(dtype_from_number(25), std::optional(ScalarType::Float8E5M2FNUZ));
    QCOMPARE(dtype_from_number(26), std::optional(ScalarType::Float8E4M3FNUZ));
    QCOMPARE(dtype_from_number(27), std::optional(ScalarType::UInt16));
    QCOMPARE(dtype_from_number(28), std::optional(ScalarType::UInt32));
    QCOMPARE(dtype_from_number(29), std::optional(ScalarType::UInt64));
    QCOMPARE(dtype_from_number(44), std::optional(ScalarType::Float8E8M0FNU));
    for (const int missing : {-1, 12, 13, 14, 16, 22, 30, 45, 300}) QVERIFY(!dtype_from_number(missing));
}

void DtypesTest::every_half_as_float() {
    for (int i = 0; i < 0x10000; ++i) {
        const auto bits = static_cast<std::uint16_t>(i);
        const float value = Half::to_float(bits);
        const int magnitude = i & 0x7fff;
        if (magnitude > 0x7c00) {
            QVERIFY(std::isnan(value));
            continue;
        }
        if (magnitude == 0x7c00)
            QVERIFY(std::isinf(value) && std::signbit(value) == (i >= 0x8000));
        else
            QVERIFY(value == half_value(bits) && std::signbit(value) == (i >= 0x8000));
        QCOMPARE(Half::from_float(value), bits);
    }
}

void DtypesTest::rounding_as_torch() {
    for (const auto& row : test::read_table("tensor/rounding.txt")) {
        const float value = std::bit_cast<float>(static_cast<std::uint32_t>(std::stoul(row[0])));
        const auto half = static_cast<std::uint16_t>(std::stoul(row[1]));
        const auto brain = static_cast<std::uint16_t>(std::stoul(row[2]));
        if (std::isnan(value)) {  // which NaN depends on the machine
            QVERIFY(std::isnan(static_cast<float>(Half(value))));
            QVERIFY(std::isnan(static_cast<float>(BFloat16(value))));
            continue;
        }
        QVERIFY2(Half(value).bits == half, row[0].c_str());
        QVERIFY2(BFloat16(value).bits == brain, row[0].c_str());
    }
}

template <typename T>
void check_value(int byte, const std::string& bits) {
    T element;
    element.bits = static_cast<std::uint8_t>(byte);
    const float value = element;
    const auto expected = std::bit_cast<float>(static_cast<std::uint32_t>(std::stoul(bits)));
    if (std::isnan(expected))
        QVERIFY(std::isnan(value));
    else
        QVERIFY(value == expected && std::signbit(value) == std::signbit(expected));
}
void DtypesTest::every_float8_as_torch() {
    const auto rows = test::read_table("tensor/float8_values.txt");
    QCOMPARE(rows.size(), std::size_t{256});
    for (int byte = 0; byte < 256; ++byte) {
        const auto& row = rows[static_cast<std::size_t>(byte)];
        check_value<Float8E4M3FN>(byte, row[1]);
        check_value<Float8E5M2>(byte, row[2]);
        check_value<Float8E4M3FNUZ>(byte, row[3]);
        check_value<Float8E5M2FNUZ>(byte, row[4]);
        check_value<Float8E8M0FNU>(byte, row[5]);
    }
}

void DtypesTest::float8_rounding_as_torch() {
    for (const auto& row : test::read_table("tensor/float8_rounding.txt")) {
        const float value = std::bit_cast<float>(static_cast<std::uint32_t>(std::stoul(row[0])));
        const auto same = [&](std::uint8_t bits, std::size_t column) { return std::to_string(bits) == row[column]; };
        QVERIFY2(same(Float8E4M3FN(value).bits, 1), row[0].c_str());
        QVERIFY2(same(Float8E5M2(value).bits, 2), row[0].c_str());
        QVERIFY2(same(Float8E4M3FNUZ(value).bits, 3), row[0].c_str());
        QVERIFY2(same(Float8E5M2FNUZ(value).bits, 4), row[0].c_str());
        QVERIFY2(same(Float8E8M0FNU(value).bits, 5), row[0].c_str());
    }
}

void DtypesTest::bfloat16_round_trip() {
    for (std::uint32_t i = 0; i < 0x10000; ++i) {
        const float value = std::bit_cast<float>(i << 16);
        if (!std::isnan(value)) QCOMPARE(static_cast<std::uint32_t>(BFloat16(value).bits), i);
    }
}

void DtypesTest::scalars() {
    QCOMPARE(Scalar(true).dtype(), ScalarType::Bool);
    QCOMPARE(Scalar(3).dtype(), ScalarType::Int64);
    QCOMPARE(Scalar(3.5).dtype(), ScalarType::Float64);
    QCOMPARE(Scalar(std::complex<double>(1, 2)).dtype(), ScalarType::Complex128);
    QCOMPARE(Scalar(-2.7).to_int(), std::int64_t{-2});
    QCOMPARE((-Scalar(std::int64_t{5})).to_int(), std::int64_t{-5});
    QCOMPARE((-Scalar(true)).to_int(), std::int64_t{-1});
    QVERIFY((-Scalar(std::complex<double>(1, 2))).to_complex() == std::complex<double>(-1, -2));
    QCOMPARE(Scalar(1 << 30).to<std::uint8_t>(), std::uint8_t{0});
    QVERIFY(Scalar(0.1).to<Half>().bits == Half(0.1f).bits);
    QCOMPARE(Scalar(-1).to<std::uint16_t>(), std::uint16_t{65535});
    QCOMPARE(Scalar(-1.0).to<std::uint64_t>(), ~std::uint64_t{0});
    QCOMPARE(Scalar(0x1p63).to<std::uint64_t>(), std::uint64_t{1} << 63);
    QVERIFY(Scalar(2).equals(2.0) && !Scalar(std::complex<double>(2, 1)).equals(2.0));
    QVERIFY(Scalar(std::complex<double>(0, 1)).to_bool());
}

void DtypesTest::devices() {
    QCOMPARE(device_name(parse_device("cuda:1")), std::string("cuda:1"));
    QCOMPARE(device_name(parse_device("cuda")), std::string("cuda:0"));
    QCOMPARE(device_name(parse_device("cpu")), std::string("cpu"));
    for (const char* wrong : {"", "gpu", "cuda:", "cuda:-1", "cuda:1x", "cuda:1000", "CPU"}) {
        QVERIFY_THROWS_EXCEPTION(Error, parse_device(wrong));
    }
}

QTEST_APPLESS_MAIN(DtypesTest)
#include "dtypes_test.moc"
