// SPDX-License-Identifier: Apache-2.0
// Slices as Python makes them, statistics against sums written out, inputs from descriptions.

#include <QtTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "core/base/error.h"
#include "core/model/inputs.h"
#include "core/model/literal.h"
#include "core/record/compute_statistics.h"
#include "core/record/finite_check.h"
#include "core/record/reduce_tensor.h"
#include "core/tensor/compressed.h"
#include "core/tensor/jagged.h"
#include "core/tensor/packed.h"
#include "core/tensor/quantizer.h"

using namespace loupe;
using namespace loupe::session;

namespace {

Tensor counted(std::vector<std::int64_t> sizes) {
    Tensor t = empty(sizes, ScalarType::Float32);
    for (std::int64_t i = 0; i < t.numel(); ++i) t.data<float>()[i] = static_cast<float>(i);
    return t;
}

std::vector<float> elements(const Tensor& t) {
    const TensorSlice all = reduce_tensor(t, {});
    std::vector<float> out;
    for (const TensorTile& tile : all.data) {
        for (const double x : tile.elements) out.push_back(static_cast<float>(x));
    }
    return out;
}

}  // namespace

class TestTensorSlice : public QObject {
    Q_OBJECT

  private slots:
    // Expectations: numpy.arange(24).reshape(2, 3, 4)[...]
    void slices() {
        const Tensor t = counted({2, 3, 4});
        QCOMPARE(elements(slice_tensor(t, "[0, :, 3]")), (std::vector<float>{3, 7, 11}));
        QCOMPARE(elements(slice_tensor(t, "1, -1")), (std::vector<float>{20, 21, 22, 23}));
        QCOMPARE(elements(slice_tensor(t, "[..., ::2]")),
                 (std::vector<float>{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22}));
        QCOMPARE(elements(slice_tensor(t, "[:, 1:2, -2:]")), (std::vector<float>{6, 7, 18, 19}));
        QCOMPARE(slice_tensor(t, "").numel(), 24);
        QCOMPARE(slice_tensor(t, "[:, 5:]").numel(), 0);
    }
    void bad_slices_are_refused() {
        const Tensor t = counted({2, 3});
        for (const char* slice : {"[2]", "[0, 0, 0]", "[x]", "[0", "[::-1]", "[..., ...]", "[1:2:3:4]"}) {
            QVERIFY_THROWS_EXCEPTION(Error, slice_tensor(t, slice));
        }
    }
    void permutes_and_tiles() {
        TensorRequest request;
        request.permute = {2, 0, 1};
        const TensorSlice slice = reduce_tensor(counted({2, 3, 4}), request);
        QCOMPARE(slice.sliced_shape, (Shape{4, 2, 3}));
        QCOMPARE(slice.data.size(), std::size_t{4});
        QCOMPARE(slice.data[1].elements, (std::vector<double>{1, 5, 9, 13, 17, 21}));
    }
    // For a slow line: one tile whole, or all of them as coarse as they must be.
    void takes_as_many_elements_as_wanted() {
        const Tensor t = counted({3, 8, 16});
        const TensorSlice one = reduce_tensor(t, {}, {.only_tile = 1});
        QCOMPARE(one.data.size(), std::size_t{3});
        QVERIFY(one.data[0].elements.empty() && one.data[0].rows == 0 && one.data[0].label == "[0]");
        QCOMPARE(one.data[1].elements.size(), std::size_t{128});
        QCOMPARE(one.data[1].elements[0], 128.0);
        for (const int most : {1, 3, 30, 100, 200, 383}) {
            const TensorSlice few = reduce_tensor(t, {}, {.max_elements = most});
            std::size_t count = 0;
            for (const TensorTile& tile : few.data) {
                QVERIFY(tile.rows > 0 && tile.columns > 0);
                QCOMPARE(tile.elements.size(), static_cast<std::size_t>(tile.rows * tile.columns));
                count += tile.elements.size();
            }
            QVERIFY2(count <= static_cast<std::size_t>(std::max(3, most)), std::to_string(count).c_str());
            QVERIFY2(count * 3 > static_cast<std::size_t>(most), std::to_string(count).c_str());
            QCOMPARE(few.rows, 8);
            QCOMPARE(few.statistics.count, 384);
        }
        QCOMPARE(reduce_tensor(t, {}, {.max_elements = 384}).data[2].elements.size(), std::size_t{128});
        QCOMPARE(reduce_tensor(counted({1000}), {}, {.max_elements = 100}).data[0].columns, 100);
    }
    void thins_large_pictures() {
        TensorRequest request;
        request.max_rows = 2;
        request.max_columns = 2;
        request.thin = TensorRequest::Thin::Mean;
        const TensorSlice slice = reduce_tensor(counted({4, 4}), request);
        QCOMPARE(slice.data[0].elements, (std::vector<double>{2.5, 4.5, 10.5, 12.5}));
        QCOMPARE(slice.rows, 4);
    }
    void statistics_count_everything() {
        Tensor t = counted({5, 1000});
        t.data<float>()[7] = std::numeric_limits<float>::quiet_NaN();
        t.data<float>()[8] = -std::numeric_limits<float>::infinity();
        const Statistics s = compute_statistics(t);
        QCOMPARE(s.count, 5000);
        QCOMPARE(s.nan_count, 1);
        QCOMPARE(s.inf_count, 1);
        QCOMPARE(s.zero_count, 1);
        QVERIFY(s.finite.has_value());
        QCOMPARE(s.finite->min, 0.0);
        QCOMPARE(s.finite->max, 4999.0);
        const double n = 4998;
        const double sum = 4999.0 * 5000 / 2 - 15;
        QVERIFY(std::abs(s.finite->mean - sum / n) < 1e-3);
        std::uint64_t counted_in_bins = 0;
        for (const auto count : s.exponents) counted_in_bins += count;
        QCOMPARE(counted_in_bins, std::uint64_t{4997});
        // [2, 4) holds 2 and 3: bin i has [2^(i-41), 2^(i-40)).
        QCOMPARE(s.exponents[42], 2u);
    }
    // Where nothing is finite there is no minimum, and no 0 in its place.
    void statistics_of_nothing_finite_are_none() {
        Tensor t = counted({8});
        for (int i = 0; i < 8; ++i)
            t.data<float>()[i] =
                i < 5 ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
        const Statistics none = compute_statistics(t);
        QVERIFY(!none.finite.has_value());
        QCOMPARE(none.finite_count(), 0);
        QCOMPARE(finite_share_text(none), std::string("no finite values"));
        t.data<float>()[0] = -2;
        const Statistics some = compute_statistics(t);
        QCOMPARE(some.finite.value().min, -2.0);
        QCOMPARE(some.finite.value().max, -2.0);
        QCOMPARE(finite_share_text(some), std::string("of the finite 12 %"));
        QCOMPARE(finite_share_text(compute_statistics(counted({8}))), std::string());
        QCOMPARE(finite_share_text(compute_statistics(counted({0}))), std::string("no elements"));
        QCOMPARE(share_text(1, 100'000), std::string("< 0.1 %"));
        QCOMPARE(share_text(99'999, 100'000), std::string("> 99.9 %"));
        TensorRequest all;
        t.data<float>()[0] = std::numeric_limits<float>::quiet_NaN();
        const TensorSlice slice = reduce_tensor(t, all);
        QVERIFY(std::all_of(slice.histogram.begin(), slice.histogram.end(),
                            [](std::uint32_t count) { return count == 0; }));
    }
    // Elements of a slice are called by the tensor's own indices.
    void slices_know_their_own_indices() {
        TensorRequest request;
        request.slice = "[1, 1:, ::2]";
        TensorSlice slice = reduce_tensor(counted({2, 3, 4}), request);
        QCOMPARE(slice.own_index(0, 1, 1), (Shape{1, 2, 2}));
        QCOMPARE(slice.data[0].elements[3], 12.0 + 8 + 2);
        request.slice = "[:, 2]";
        slice = reduce_tensor(counted({2, 3, 4}), request);
        QCOMPARE(slice.own_index(0, 1, 3), (Shape{1, 2, 3}));
        request.permute = {1, 0};
        slice = reduce_tensor(counted({2, 3, 4}), request);
        QCOMPARE(slice.own_index(0, 3, 1), (Shape{1, 2, 3}));
        request = {};
        request.slice = "[1:, :, 0, :]";
        slice = reduce_tensor(counted({3, 2, 5, 4}), request);
        QCOMPARE(slice.data.size(), std::size_t{2});
        QCOMPARE(slice.data[1].label, std::string("[2]"));
        QCOMPARE(slice.own_index(1, 1, 3), (Shape{2, 1, 0, 3}));
        request.slice = "[0, 1, 2]";
        slice = reduce_tensor(counted({3, 2, 5, 4}), request);
        QCOMPARE(slice.own_index(0, 0, 3), (Shape{0, 1, 2, 3}));
    }
    void variance_of_nearly_constant_elements() {
        Tensor t = empty(std::vector<std::int64_t>{10000}, ScalarType::Float32);
        for (int i = 0; i < 10000; ++i) t.data<float>()[i] = 1e6f + static_cast<float>(i % 2);
        QVERIFY(std::abs(compute_statistics(t).finite->variance - 0.25) < 1e-3);
    }
    // Exponents are counted in another way where there are few, and denormals by what is left over.
    void statistics_are_those_of_a_plain_loop_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("count");
        const char* const kinds[] = {"normal",   "half zero",       "any bits", "wide",
                                     "constant", "some not finite", "denormal"};
        for (int kind = 0; kind < 7; ++kind) {
            for (const int count : {1, 7, 64, 67, 4096, 4097, 70'001})
                QTest::addRow("%s, %d", kinds[kind], count) << kind << count;
        }
    }
    void statistics_are_those_of_a_plain_loop() {
        QFETCH(int, kind);
        QFETCH(int, count);
        std::mt19937 random(static_cast<unsigned>(count));
        const auto normal = [&] {
            return static_cast<float>(random() % 20'001) / 10'000.0f - 1 + static_cast<float>(random() % 100) / 1e6f;
        };
        Tensor t = empty(std::vector<std::int64_t>{count}, ScalarType::Float32);
        for (int i = 0; i < count; ++i) {
            float x = normal();
            if (kind == 1 && x < 0) x = i % 2 == 0 ? 0.0f : -0.0f;
            if (kind == 2) x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
            if (kind == 3) x = std::ldexp(x, static_cast<int>(random() % 240) - 120);
            if (kind == 4) x = -3;
            if (kind == 5 && i % 5 == 0)
                x = std::numeric_limits<float>::infinity() *
                    static_cast<float>(i % 3 - 1);  // NaN where the factor is 0
            if (kind == 6) x = std::ldexp(x, -130);
            t.data<float>()[i] = x;
        }
        Statistics plain;
        double sum = 0;
        for (int i = 0; i < count; ++i) {
            const float x = t.data<float>()[i];
            ++plain.count;
            plain.nan_count += std::isnan(x) ? 1 : 0;
            plain.inf_count += std::isinf(x) ? 1 : 0;
            if (!std::isfinite(x)) continue;
            if (!plain.finite) plain.finite = FiniteStatistics{.min = x, .max = x};
            plain.finite->min = std::min(plain.finite->min, static_cast<double>(x));
            plain.finite->max = std::max(plain.finite->max, static_cast<double>(x));
            sum += std::fabs(static_cast<double>(x));
            plain.zero_count += x == 0 ? 1 : 0;
            if (x != 0) ++plain.exponents[static_cast<std::size_t>(std::clamp(std::ilogb(x) + 41, 0, 63))];
        }
        const Statistics s = compute_statistics(t);
        QCOMPARE(s.count, plain.count);
        QCOMPARE(s.nan_count, plain.nan_count);
        QCOMPARE(s.inf_count, plain.inf_count);
        QCOMPARE(s.zero_count, plain.zero_count);
        QCOMPARE(s.exponents, plain.exponents);
        QCOMPARE(s.finite.has_value(), plain.finite.has_value());
        if (!s.finite) return;
        QCOMPARE(s.finite->min, plain.finite->min);
        QCOMPARE(s.finite->max, plain.finite->max);
        const double mean = sum / static_cast<double>(s.finite_count());
        if (kind != 2) QVERIFY(std::fabs(s.finite->abs_mean - mean) <= 1e-4 * mean);
    }
    void strided_and_other_dtypes_agree_with_dense_floats() {
        const Tensor t = counted({60, 70});
        const Tensor transposed =
            t.view_as_strided(std::vector<std::int64_t>{70, 30}, std::vector<std::int64_t>{1, 140}, 0);
        Tensor copy = empty(std::vector<std::int64_t>{70, 30}, ScalarType::Float64);
        for (std::int64_t i = 0; i < 70; ++i) {
            for (std::int64_t k = 0; k < 30; ++k) copy.data<double>()[i * 30 + k] = static_cast<double>(i + k * 140);
        }
        const Statistics a = compute_statistics(transposed);
        const Statistics b = compute_statistics(copy);
        QCOMPARE(a.count, b.count);
        QCOMPARE(a.finite->max, b.finite->max);
        QCOMPARE(a.exponents, b.exponents);
        QVERIFY(std::abs(a.finite->variance - b.finite->variance) < 1e-3 * b.finite->variance);
    }
    // Tensors that are no plain array are looked at by the values that they hold or the numbers that they stand for.
    void other_forms() {
        const auto integers = [](std::vector<std::int64_t> sizes, std::vector<std::int64_t> of) {
            Tensor t = empty(sizes, ScalarType::Int64);
            std::ranges::copy(of, t.data<std::int64_t>());
            return t;
        };
        const auto same = [](const Tensor& t, const std::vector<float>& wanted) {
            const Statistics statistics = compute_statistics(t);
            QCOMPARE(elements(t), wanted);
            QCOMPARE(statistics.count, std::ssize(wanted));
            QVERIFY(is_all_finite(t));
            if (wanted.empty()) return;
            QCOMPARE(static_cast<float>(statistics.finite->min), std::ranges::min(wanted));
            QCOMPARE(static_cast<float>(statistics.finite->max), std::ranges::max(wanted));
        };
        const std::int64_t sizes[] = {3, 4};
        same(make_sparse(integers({2, 2}, {0, 2, 1, 3}), counted({2}), sizes), {0, 1});
        same(make_sparse(integers({2, 0}, {}), counted({0}), sizes), {});
        same(make_compressed(CompressedLayout::Csr, integers({4}, {0, 1, 1, 3}), integers({3}, {1, 0, 2}), counted({3}),
                             sizes),
             {0, 1, 2});
        same(make_jagged(counted({3, 2}), integers({3}, {0, 1, 3}), {}, 1, nullptr), {0, 1, 2, 3, 4, 5});
        // torch.quantize_per_tensor([-1.0, 0.0, 1.5], 0.5, 10, torch.quint8).dequantize()
        Tensor bytes = empty(std::vector<std::int64_t>{3}, ScalarType::UInt8);
        std::ranges::copy(std::vector<std::uint8_t>{8, 10, 13}, bytes.data<std::uint8_t>());
        same(make_quantized(bytes, 0.5, 10), {-1, 0, 1.5});
        // torch.quantize_per_channel([[-1.0, 1.5], [2.0, 4.0]], [0.5, 1.0], [10, 0], 0, torch.quint8), and axis 1 of
        // its transpose: whole strides and others.
        bytes = empty(std::vector<std::int64_t>{2, 2}, ScalarType::UInt8);
        std::ranges::copy(std::vector<std::uint8_t>{8, 13, 2, 4}, bytes.data<std::uint8_t>());
        Tensor scales = empty(std::vector<std::int64_t>{2}, ScalarType::Float64);
        scales.data<double>()[0] = 0.5;
        scales.data<double>()[1] = 1;
        same(make_quantized(bytes, scales, integers({2}, {10, 0}), 0), {-1, 1.5, 2, 4});
        const std::int64_t square[] = {2, 2}, turned[] = {1, 2};
        same(make_quantized(bytes.view_as_strided(square, turned, 0), scales, integers({2}, {10, 0}), 1),
             {-1, 2, 1.5, 4});
        // Q8_0: a scale of float16 (here 1) and 32 of int8.
        bytes = empty(std::vector<std::int64_t>{1, 34}, ScalarType::UInt8);
        std::vector<float> wanted;
        bytes.data<std::uint8_t>()[0] = 0;
        bytes.data<std::uint8_t>()[1] = 0x3c;
        for (std::uint8_t i = 0; i < 32; ++i) wanted.push_back(bytes.data<std::uint8_t>()[2 + i] = i);
        same(make_packed(*ggml_type(8), bytes), wanted);
    }
    void input_descriptions() {
        const InputSpec spec = parse_input_spec("2x3x4:int64");
        QCOMPARE(spec.shape, (Shape{2, 3, 4}));
        QCOMPARE(spec.dtype, std::string("int64"));
        QCOMPARE(parse_input_spec(input_spec_text(spec)).shape, spec.shape);
        for (const char* text : {"2xx3", "axb", "2x3:float33", "2x3:float32:normal:zeros", "-1x2"}) {
            QVERIFY_THROWS_EXCEPTION(Error, parse_input_spec(text));
        }
    }
    void literals() {
        QCOMPARE(literal_value("3", *types::integer()).to_int(), 3);
        QCOMPARE(literal_value(" [1, 2,3]", *types::list(types::integer())).to_ints().size(), std::size_t{3});
        QVERIFY(literal_value("None", *types::optional(types::integer())).is_none());
        QCOMPARE(literal_value("'a\\'b'", *types::string()).to_string(), std::string("a'b"));
        QVERIFY_THROWS_EXCEPTION(Error, literal_value("[1, x]", *types::list(types::integer())));
        QVERIFY_THROWS_EXCEPTION(Error, literal_value(std::string(100000, '['), *types::list(types::integer())));
    }
};

QTEST_GUILESS_MAIN(TestTensorSlice)
#include "test_tensor_slice.moc"
