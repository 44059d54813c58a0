// SPDX-License-Identifier: Apache-2.0
// arrays/ was written by numpy (make_arrays.py); the expected values are those it was given.
#include <cmath>
#include <complex>

#include "core/formats/numpy/npy.h"
#include "tests/formats/formats_test.h"

using namespace loupe;

namespace {

Tensor array_in(const NamedTensors& tensors, const std::string& name) {
    for (const auto& [key, tensor] : tensors) {
        if (key == name) return tensor;
    }
    throw std::runtime_error("no array " + name);
}

// -3..2, from 0 when unsigned, times 1+2i when complex; evenness of it for bool.
template <typename T>
std::vector<T> expected_values() {
    std::vector<T> out;
    for (int i = 0; i < 6; ++i) {
        const int number = std::is_same_v<T, std::uint8_t> ? i : i - 3;
        if constexpr (std::is_same_v<T, bool>) {
            out.push_back(number % 2 == 0);
        } else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
            out.push_back(T(number) * T(1, 2));
        } else {
            out.push_back(T(static_cast<std::conditional_t<std::is_same_v<T, Half>, float, T>>(number)));
        }
    }
    return out;
}

}  // namespace

class TestNpy : public QObject {
    Q_OBJECT

    Scratch scratch_;

    template <typename T>
    void check(const NamedTensors& tensors, const std::string& name) {
        const Tensor t = array_in(tensors, name);
        QCOMPARE(t.dtype(), scalar_type_of<T>);
        QCOMPARE(shape_text(t.sizes()), std::string("2x3"));
        QVERIFY2(elements<T>(t) == expected_values<T>(), name.c_str());
    }
    void check_all(const NamedTensors& tensors) {
        check<bool>(tensors, "bool");
        check<std::uint8_t>(tensors, "u1");
        check<std::int8_t>(tensors, "i1");
        for (const std::string order : {"little_", "big_"}) {
            check<std::int16_t>(tensors, order + "i2");
            check<std::int32_t>(tensors, order + "i4");
            check<std::int64_t>(tensors, order + "i8");
            check<Half>(tensors, order + "f2");
            check<float>(tensors, order + "f4");
            check<double>(tensors, order + "f8");
            check<std::complex<float>>(tensors, order + "c8");
            check<std::complex<double>>(tensors, order + "c16");
        }
        check<float>(tensors, "fortran");
        QCOMPARE(array_in(tensors, "fortran").stride(0), std::int64_t{1});
        QCOMPARE(array_in(tensors, "scalar").dim(), std::int64_t{0});
        QCOMPARE(elements<double>(array_in(tensors, "scalar")), std::vector<double>{1.5});
        QCOMPARE(elements<std::int64_t>(array_in(tensors, "vector")), (std::vector<std::int64_t>{0, 1, 2}));
        QCOMPARE(shape_text(array_in(tensors, "empty").sizes()), std::string("2x0x3"));
    }
    std::string npy_error(const std::string& header, ErrorKind* kind = nullptr) {
        std::string text = "\x93NUMPY\x01";
        text += '\0';
        text += static_cast<char>(header.size());
        text += '\0';
        const auto path = scratch_.write("bad.npy", text + header + std::string(24, '\0'));
        return error_of([&] { read_npy(path); }, kind);
    }

  private slots:
    void reads_numpy_archives() {
        check_all(read_npz(array_file("stored.npz")));
        check_all(read_npz(array_file("deflated.npz")));
    }

    void reads_every_version() {
        for (const int version : {1, 2, 3}) {
            const Tensor t = read_npy(array_file("version" + std::to_string(version) + ".npy"));
            QCOMPARE(elements<float>(t), expected_values<float>());
        }
    }

    void writes_what_it_reads() {
        auto tensors = read_npz(array_file("stored.npz"));
        write_npz(scratch_.path("again.npz"), tensors);
        for (auto& [name, tensor] : tensors) tensor = Tensor();
        auto again = read_npz(scratch_.path("again.npz"));
        // Written in rows.
        QVERIFY(array_in(again, "fortran").is_contiguous());
        for (auto& [name, tensor] : again) {
            if (name == "fortran") tensor = array_in(read_npz(array_file("stored.npz")), "fortran");
        }
        check_all(again);
        write_npy(scratch_.path("again.npy"), array_in(again, "big_f8"));
        QCOMPARE(elements<double>(read_npy(scratch_.path("again.npy"))), expected_values<double>());
    }

    void widens_bfloat16() {
        const Tensor t = tensor_of({BFloat16(1.5f), BFloat16(-2.0f)}, {2});
        write_npy(scratch_.path("bfloat16.npy"), t);
        QCOMPARE(elements<float>(read_npy(scratch_.path("bfloat16.npy"))), (std::vector<float>{1.5f, -2.0f}));
    }

    void views_the_file() {
        const Tensor t = read_npy(array_file("version1.npy"));
        QVERIFY(reinterpret_cast<std::uintptr_t>(t.raw_data()) % 4096 == 128);
        QCOMPARE(t.storage()->category(), MemoryCategory::Input);
        t.data<float>()[0] = 77;  // stays in this process
        QCOMPARE(elements<float>(read_npy(array_file("version1.npy"))), expected_values<float>());
    }

    void names_what_it_cannot_hold() {
        ErrorKind kind{};
        QCOMPARE(error_of([] { read_npy(array_file("structure.npy")); }, &kind),
                 std::string("structure.npy: npy: an array of structures; save each field as an array of its own"));
        QCOMPARE(kind, ErrorKind::Unsupported);
        QCOMPARE(error_of([] { read_npy(array_file("text.npy")); }),
                 std::string("text.npy: npy: no tensor holds elements of type '<U3'"));
        QCOMPARE(error_of([] { read_npy(array_file("objects.npy")); }),
                 std::string("objects.npy: npy: no tensor holds elements of type '|O'"));
    }

    void refuses_damage() {
        QVERIFY(npy_error("{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }").empty());
        QVERIFY(npy_error("{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L)}").empty());
        QCOMPARE(npy_error("{'descr': '<f4', 'fortran_order': False, 'shape': (7,), }"),
                 std::string("bad.npy: truncated: array 7 needs 28 bytes, the file has 24"));
        QVERIFY(npy_error("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }").find("bad header") !=
                std::string::npos);
        QVERIFY(npy_error("{'descr': '<f4', 'fortran_order': False, }").find("bad header") != std::string::npos);
        QVERIFY(npy_error("{'descr': '<f4").find("bad header") != std::string::npos);
        QVERIFY(npy_error("").find("bad header") != std::string::npos);
        QVERIFY(npy_error("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }")
                    .find("too large") != std::string::npos);
        QCOMPARE(error_of([&] { read_npy(scratch_.write("text.npy", "hello, world")); }),
                 std::string("text.npy: npy: no NumPy array"));
        QCOMPARE(error_of([&] { read_npy(scratch_.path("missing.npy")); }),
                 std::string("missing.npy: cannot open: No such file or directory"));
    }
};

QTEST_GUILESS_MAIN(TestNpy)
#include "test_npy.moc"
