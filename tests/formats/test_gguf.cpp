// SPDX-License-Identifier: Apache-2.0
// GGUF files of the package gguf, and damaged ones (fixtures/gguf, make_gguf.py).
#include <algorithm>
#include <cmath>

#include "core/dispatch/functions.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/format_registry.h"
#include "core/formats/gguf/gguf.h"
#include "core/formats/numpy/npy.h"
#include "core/model/program.h"
#include "core/record/reduce_tensor.h"
#include "core/tensor/copy_elements.h"
#include "core/tensor/packed.h"
#include "tests/formats/formats_test.h"

using namespace loupe;
namespace fs = std::filesystem;

namespace {

const OperatorHandle<> kDequantize("aten::dequantize.self");

fs::path given(const std::string& name) { return fixture("gguf/" + name); }
GgufFile types() { return read_gguf(MappedFile::open(given("types.gguf"))); }

const GgufTensor& named(const GgufFile& file, std::string_view name) {
    return *std::ranges::find(file.tensors, name, &GgufTensor::name);
}

std::string little(std::uint64_t value, int bytes) {
    std::string out;
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 255U);
    return out;
}
std::string named_text(const std::string& text) { return little(text.size(), 8) + text; }

// A header with one tensor "w" and no metadata, and that many bytes behind it.
std::string one_tensor(const std::vector<std::uint64_t>& sizes, std::uint32_t type, std::uint64_t begin,
                       std::size_t bytes) {
    std::string out = "GGUF" + little(3, 4) + little(1, 8) + little(0, 8) + named_text("w") + little(sizes.size(), 4);
    for (const std::uint64_t size : sizes) out += little(size, 8);
    out += little(type, 4) + little(begin, 8);
    out.resize((out.size() + 31) / 32 * 32);
    return out + std::string(bytes, '\1');
}

class TestGguf : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    Ptr<MappedFile> written(const std::string& bytes) {
        static int number = 0;
        const fs::path path = fs::path(folder_.path().toStdString()) / (std::to_string(number++) + ".gguf");
        write_file_atomically(path, bytes);
        return MappedFile::open(path);
    }
    std::string refusal(const std::string& bytes) {
        const std::string line = error_of([&] { read_gguf(written(bytes)); });
        const auto colon = line.find(": ");
        return colon == std::string::npos ? line : line.substr(colon + 2);
    }

  private slots:
    void reads_metadata() {
        const GgufFile file = types();
        QCOMPARE(file.version, 3U);
        QCOMPARE(file.metadata["general.architecture"].get<std::string>(), std::string("test-types"));
        QCOMPARE(file.metadata["test.count"].get<int>(), 7);
        QCOMPARE(file.metadata["test.half"].get<double>(), 0.5);
        QCOMPARE(file.metadata["test.words"].dump(), std::string(R"(["one","two"])"));
    }

    void dequantises_each_type() {
        const GgufFile file = types();
        const NamedTensors expected = read_npz(given("types.npz"));
        QCOMPARE(file.tensors.size(), expected.size());
        for (const auto& [name, numbers] : expected) {
            const GgufTensor& tensor = named(file, name);
            QCOMPARE(tensor.type, name);
            const Tensor own = kDequantize(tensor.tensor);
            QCOMPARE(shape_text(own.sizes()), shape_text(numbers.sizes()));
            const auto mine = elements<float>(own), wanted = elements<float>(numbers);
            for (std::size_t i = 0; i < mine.size(); ++i) {
                const float allowed = 1e-6F * std::fabs(wanted[i]);
                QVERIFY2(std::fabs(mine[i] - wanted[i]) <= allowed,
                         (name + " at " + std::to_string(i) + ": " + std::to_string(mine[i]) + " is not " +
                          std::to_string(wanted[i]))
                             .c_str());
            }
        }
    }

    // Of the two types that the package does not read: a scale of 0.5, elements 0, 1, 2, ...
    void dequantises_the_types_of_products() {
        std::string q8_1 = std::string("\x00\x38\x00\x00", 4), q8_k = std::string("\x00\x00\x00\x3f", 4);
        for (int i = 0; i < 32; ++i) q8_1 += static_cast<char>(i - 16);
        for (int i = 0; i < 256; ++i) q8_k += static_cast<char>(i - 128);
        q8_k += std::string(32, '\0');
        const auto numbers_of = [&](std::uint64_t columns, std::uint32_t type, const std::string& block) {
            return elements<float>(
                unpacked(read_gguf(written(one_tensor({columns}, type, 0, 0) + block)).tensors[0].tensor));
        };
        const auto first = numbers_of(32, 9, q8_1), second = numbers_of(256, 15, q8_k);
        for (int i = 0; i < 32; ++i) QCOMPARE(first[static_cast<std::size_t>(i)], 0.5F * static_cast<float>(i - 16));
        for (int i = 0; i < 256; ++i) QCOMPARE(second[static_cast<std::size_t>(i)], 0.5F * static_cast<float>(i - 128));
    }

    void opens_as_a_tree() {
        const auto program = session::Program::open(given("types.gguf"));
        QVERIFY(program->file().format.starts_with("a GGUF model"));
        QVERIFY(!program->file().cannot_run.empty());
    }

    void is_looked_at_by_its_numbers() {
        const Tensor packed = named(types(), "Q4_K").tensor;
        const auto expected = elements<float>(kDequantize(packed));
        session::TensorRequest request;
        request.slice = "[1]";
        const session::TensorSlice slice = session::reduce_tensor(packed, request);
        QCOMPARE(slice.sliced_shape, (std::vector<std::int64_t>{256}));
        QCOMPARE(slice.statistics.finite->max,
                 static_cast<double>(*std::max_element(expected.begin() + 256, expected.end())));
        const std::string refused = error_of([&] { fn::sum(packed); });
        QVERIFY2(refused.find("Call dequantize() first.") != std::string::npos, refused.c_str());
    }

    void orders_rows() {
        const GgmlType& type = *ggml_type(8);
        const Tensor bytes = packed_parts(named(types(), "Q8_0").tensor).bytes;
        const auto plain = elements<float>(unpacked(make_packed(type, bytes)));
        const auto turned = elements<float>(unpacked(make_packed(type, bytes, {1, 0})));
        QVERIFY(std::equal(plain.begin(), plain.begin() + 256, turned.begin() + 256));
        const auto transposed = elements<float>(unpacked(fn::t(make_packed(type, bytes))));
        QCOMPARE(transposed[1], plain[256]);
        QVERIFY(!error_of([&] { make_packed(type, bytes, {1, 1}); }).empty());
    }

    void refuses_damaged_files_data() {
        QTest::addColumn<std::string>("bytes");
        QTest::addColumn<QString>("line");
        const auto row = [](const char* name, std::string bytes, const char* line) {
            QTest::newRow(name) << std::move(bytes) << QString(line);
        };
        const std::string start = "GGUF" + little(3, 4);
        row("version 1", "GGUF" + little(1, 4), "version 1 of GGUF; 2 and 3 are read");
        row("tensors", start + little(std::uint64_t{1} << 61, 8) + little(0, 8) + std::string(40, '\0'),
            "truncated: it has 2305843009213693952 tensors, and 48 bytes follow");
        row("list",
            start + little(0, 8) + little(1, 8) + named_text("k") + little(9, 4) + little(4, 4) +
                little(std::uint64_t{1} << 62, 8),
            "truncated: it has 4611686018427387904 elements in a list, and 0 bytes follow");
        std::string deep = start + little(0, 8) + little(1, 8) + named_text("k") + little(9, 4);
        for (int i = 0; i < 9; ++i) deep += little(9, 4) + little(1, 8);
        row("deep lists", deep, "the lists of 'k' nest too deep");
        row("value", start + little(0, 8) + little(1, 8) + named_text("k") + little(77, 4),
            "the key 'k' has a value of the unknown type 77");
        row("shape", one_tensor({std::uint64_t{1} << 40, std::uint64_t{1} << 40}, 0, 0, 4),
            "the shape of 'w' is too large");
        row("data", one_tensor({32, 2}, 8, 0, 67), "truncated: 'w' takes 68 bytes at byte 0 of the data, which has 67");
        row("place", one_tensor({32}, 8, std::uint64_t{1} << 63, 34),
            "truncated: 'w' takes 34 bytes at byte 9223372036854775808 of the data, which has 34");
        row("blocks", one_tensor({33}, 8, 0, 68), "rows of 33 elements of 'w' are no whole blocks of Q8_0");
        row("alignment", one_tensor({32}, 8, 1, 68), "'w' begins at byte 1 of the data, no multiple of 32");
        row("dimensions", one_tensor({1, 1, 1, 1, 1}, 0, 0, 4), "'w' has 5 dimensions");
    }
    void refuses_damaged_files() {
        QFETCH(std::string, bytes);
        QFETCH(QString, line);
        QCOMPARE(refusal(bytes), line.toStdString());
    }

    void shows_unknown_types() {
        const GgufFile file = read_gguf(written(one_tensor({32}, 77, 0, 40)));
        QVERIFY(!file.tensors[0].is_known);
        QCOMPARE(file.tensors[0].type, std::string("type 77"));
        QCOMPARE(file.tensors[0].tensor.numel(), std::int64_t{40});
        const ModelFile tree = gguf_tree(read_gguf(written(one_tensor({32}, 77, 0, 40))), "of its type");
        QVERIFY(tree.module != nullptr);
    }

    void refuses_big_endian_files() {
        ErrorKind kind{};
        const std::string line = error_of([] { read_gguf(MappedFile::open(given("big_endian.gguf"))); }, &kind);
        QCOMPARE(kind, ErrorKind::Unsupported);
        QVERIFY2(line.find("big-endian") != std::string::npos, line.c_str());
    }

    // All but the whole file is refused, and a changed bit is read or refused.
    void survives_any_damage() {
        const std::string whole = read_text_file(given("types.gguf"));
        for (std::size_t n = 0; n < whole.size(); n += n < 2500 ? 1 : 997)
            QVERIFY2(!refusal(whole.substr(0, n)).empty(), std::to_string(n).c_str());
        std::size_t refused = 0;
        for (std::size_t bit = 0; bit < 2500 * 8; bit += 3) {
            std::string changed = whole;
            changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
            refused += refusal(changed).empty() ? 0U : 1U;
        }
        QVERIFY(refused > 500);
    }
};

}  // namespace

QTEST_GUILESS_MAIN(TestGguf)
#include "test_gguf.moc"
