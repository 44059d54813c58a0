// SPDX-License-Identifier: Apache-2.0
// Packages of AOTInductor, which are shown and never run: fixtures/exported/compiled (make_compiled.py).
#include <cmath>
#include <cstring>
#include <map>

#include "core/autograd/grad_mode.h"
#include "core/base/strings.h"
#include "core/formats/archive/zip_reader.h"
#include "core/formats/exported/compiled_package.h"
#include "core/formats/exported/shared_library.h"
#include "core/formats/format_registry.h"
#include "core/formats/numpy/npy.h"
#include "core/model/program.h"
#include "core/nn/module.h"
#include "core/study/compare.h"
#include "tests/formats/formats_test.h"

using namespace loupe;
using exported::bytes_between;

namespace {

std::filesystem::path package(const std::string& name) { return fixture("exported/compiled/" + name); }

constexpr const char* kStart = "_binary_constants_bin_start";
constexpr const char* kEnd = "_binary_constants_bin_end";

std::string library_in(const char* name) {
    const ZipReader archive(MappedFile::open(package(name)));
    for (const ZipEntry& entry : archive.entries()) {
        if (entry.name.ends_with(".so")) return archive.read(entry, 100'000'000);
    }
    return {};
}
std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace

class TestCompiled : public QObject {
    Q_OBJECT

  private slots:
    void weights_are_those_of_the_module_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("in the library") << "library.pt2";
        QTest::newRow("in files") << "files.pt2";
    }
    // AOTInductor writes small ones into the code: not all are there.
    void weights_are_those_of_the_module() {
        QFETCH(QString, name);
        const ZipReader archive(MappedFile::open(package(name.toStdString())));
        const CheckpointWeights weights = exported::read_compiled_weights(archive);
        std::map<std::string, Tensor> expected;
        for (const auto& [key, tensor] : read_npz(package("weights.npz"))) expected.emplace(key, tensor);
        QVERIFY(weights.tensors.size() >= 2);
        for (const auto& [key, tensor] : weights.tensors) {
            QVERIFY2(expected.contains(key), key.c_str());
            QCOMPARE(tensor.dtype(), expected[key].dtype());
            const auto difference = session::compare_tensors(tensor, expected[key], 0, 0);
            QVERIFY2(difference.is_equal, concat(key, ": ", difference.why).c_str());
        }
    }
    void code_and_machine_are_shown() {
        const ModelFile model = open_model(package("library.pt2"));
        QVERIFY2(model.format.starts_with("AOTInductor package"), model.format.c_str());
        bool has_wrapper = false;
        bool has_kernel = false;
        bool has_machine = false;
        for (const auto& source : model.sources) {
            const std::string& name = source->file().value();
            QVERIFY2(name.starts_with("model/"), name.c_str());
            has_wrapper = has_wrapper || source->text().find("AOTInductorModel::run_impl") != std::string::npos;
            has_kernel = has_kernel || name.ends_with(".kernel.cpp");
            has_machine = has_machine || source->text().find("AOTI_DEVICE_KEY") != std::string::npos;
        }
        QVERIFY(has_wrapper && has_kernel && has_machine);
        QVERIFY(model.module->get_submodule("first") != nullptr);
        const IValue* note = model.module->find_attribute("note1");
        QVERIFY(note != nullptr);
        QVERIFY2(note->to_string().find("AOTI_PLATFORM linux") != std::string::npos, note->to_string().c_str());
    }
    void code_beside_a_program_is_shown_with_it() {
        const ModelFile model = open_model(package("program.pt2"));
        QVERIFY2(model.format.find("compiled code in data/aotinductor is shown and not run") != std::string::npos,
                 model.format.c_str());
        QVERIFY(model.examples.has_value());
        std::size_t generated = 0;
        for (const auto& source : model.sources) generated += source->file().value_or("").starts_with("model/") ? 1 : 0;
        QCOMPARE(generated, std::size_t{4});
    }

    void several_programs_are_methods() {
        const auto programs = session::Program::open(package("programs.pt2"));
        const auto run = [](const std::shared_ptr<session::Program>& program, const std::string& method) {
            const auto arguments = program->make_arguments(program->default_inputs(method), method);
            const GradModeScope grad(false);
            return std::pair(arguments,
                             session::PreparedMethod(program, method, "none").forward(arguments).to_tensor());
        };
        const auto [factors, product] = run(programs, "decoder");
        QCOMPARE(factors.size(), std::size_t{2});
        const float* left = factors[0].to_tensor().data<float>();
        const float* right = factors[1].to_tensor().data<float>();
        const float corner = left[3] * right[1] + left[4] * right[3] + left[5] * right[5];
        QVERIFY(std::abs(product.data<float>()[3] - corner) < 1e-5f);
        const auto [input, encoded] = run(programs, "encoder");
        const auto [same_input, alone] = run(session::Program::open(package("program.pt2")), "forward");
        QVERIFY(session::compare_tensors(input[0].to_tensor(), same_input[0].to_tensor(), 0, 0).is_equal);
        QVERIFY(session::compare_tensors(encoded, alone, 0, 0).is_equal);
        QVERIFY(programs->module().get_submodule("encoder.first") != nullptr);
    }

    void damaged_libraries_are_errors_or_have_no_weights() {
        const std::string library = library_in("library.pt2");
        QVERIFY(bytes_between(bytes_of(library), kStart, kEnd).has_value());
        QVERIFY(!bytes_between(bytes_of(library), "absent", kEnd).has_value());
        QVERIFY(!bytes_between({}, kStart, kEnd).has_value());
        const auto read = [](const std::string& bytes) {
            return error_of([&] {
                const auto part = bytes_between(bytes_of(bytes), kStart, kEnd);
                if (!part || part->empty()) return;
                // The part lies in the file.
                volatile std::byte last = part->back();
                static_cast<void>(last);
            });
        };
        for (std::size_t i = 0; i < 64; ++i) read(library.substr(0, library.size() * i / 64));
        std::uint64_t section_table = 0;
        std::memcpy(&section_table, library.data() + 40, sizeof(section_table));
        for (std::size_t i = 0; i < 64 + 64 * 40; ++i) {
            std::string changed = library;
            const std::size_t at = i < 64 ? i : static_cast<std::size_t>(section_table) + i - 64;
            if (at >= changed.size()) break;
            for (const char value : {'\x00', '\x7f', '\xff'}) {
                changed[at] = value;
                const std::string line = read(changed);
                QVERIFY2(line.find('\n') == std::string::npos, line.c_str());
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestCompiled)
#include "test_compiled.moc"
