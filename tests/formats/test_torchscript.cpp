// SPDX-License-Identifier: Apache-2.0
// expected_models.txt says what PyTorch finds in the files (make_expected_models.py).
#include <QElapsedTimer>
#include <complex>
#include <fstream>
#include <map>
#include <sstream>

#include "core/autograd/variable.h"
#include "core/formats/archive/zip_reader.h"
#include "core/formats/archive/zip_writer.h"
#include "core/formats/file_kind.h"
#include "core/formats/format_registry.h"
#include "core/formats/numpy/npy.h"
#include "tests/formats/formats_test.h"

using namespace loupe;
using namespace std::string_literals;

namespace {

double total(const Tensor& tensor) {
    double sum = 0;
    visit_dtype(tensor.dtype(), [&]<typename T>(std::type_identity<T>) {
        for (const T value : elements<T>(tensor)) {
            if constexpr (is_complex(scalar_type_of<T>)) {
                sum += static_cast<double>(value.real());
            } else {
                sum += static_cast<double>(value);
            }
        }
    });
    return sum;
}

struct Expected {
    std::string kind, name, dtype, shape;
    bool requires_grad = false;
    double sum = 0;
};

std::map<std::string, std::vector<Expected>> expected_models() {
    std::map<std::string, std::vector<Expected>> models;
    std::ifstream in(std::string(LOUPE_SOURCE_DIR) + "/tests/formats/expected_models.txt");
    std::string file;
    Expected line;
    while (in >> file >> line.kind >> line.name >> line.dtype >> line.shape >> line.requires_grad >> line.sum) {
        models[file].push_back(line);
    }
    return models;
}

std::vector<std::filesystem::path> model_files() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(fixture("models"))) {
        if (entry.path().extension() == ".pt") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

class TestTorchscript : public QObject {
    Q_OBJECT

    Scratch scratch_;

    // mlp.pt with some entries replaced (an empty text takes one out).
    std::filesystem::path changed(const std::map<std::string, std::string>& changes, const std::string& model = "mlp") {
        const ZipReader original(MappedFile::open(fixture("models/" + model + ".pt")));
        const auto path = scratch_.path("changed.pt");
        ZipWriter writer(path);
        for (const ZipEntry& entry : original.entries()) {
            const auto change = changes.find(entry.name.substr(model.size() + 1));
            const std::string text = change == changes.end() ? original.read(entry, 1u << 30) : change->second;
            if (change == changes.end() || !text.empty()) writer.add(entry.name, text);
        }
        for (const auto& [name, text] : changes) {
            if (original.find(model + "/" + name) == nullptr) writer.add(model + "/" + name, text);
        }
        writer.finish();
        return path;
    }
    std::string open_error(const std::map<std::string, std::string>& changes, ErrorKind* kind = nullptr) {
        return error_of([&] { open_model(changed(changes)); }, kind);
    }

  private slots:
    void opens_models_data() {
        QTest::addColumn<QString>("path");
        for (const auto& path : model_files())
            QTest::newRow(path.filename().c_str()) << QString::fromStdString(path.string());
    }
    void opens_models() {
        QFETCH(QString, path);
        static const auto expected = expected_models();
        const std::filesystem::path file = path.toStdString();
        const ModelFile model = open_model(file);
        QVERIFY(model.module->type()->find_method("forward") != nullptr);
        QVERIFY(!model.sources.empty());
        std::map<std::string, Tensor> parameters, buffers;
        for (const auto& [name, tensor] : model.module->named_parameters()) parameters[name] = tensor;
        for (const auto& [name, tensor] : model.module->named_buffers()) buffers[name] = tensor;
        std::size_t count = 0;
        const auto lines = expected.find(file.filename().string());
        if (lines == expected.end() && !parameters.empty()) QSKIP("newer than expected_models.txt");
        if (lines != expected.end()) {
            for (const Expected& line : lines->second) {
                const auto& named = line.kind == "parameter" ? parameters : buffers;
                QVERIFY2(named.contains(line.name), line.name.c_str());
                const Tensor& tensor = named.at(line.name);
                QCOMPARE(std::string(dtype_name(tensor.dtype())), line.dtype);
                QCOMPARE(shape_text(tensor.sizes()), line.shape);
                QCOMPARE(requires_grad(tensor), line.requires_grad);
                QVERIFY2(std::abs(total(tensor) - line.sum) <= 1e-9 * (1 + std::abs(line.sum)), line.name.c_str());
                ++count;
            }
        }
        QCOMPARE(parameters.size() + buffers.size(), count);
    }

    void keeps_weights_in_the_file() {
        const ModelFile model = open_model(fixture("models/storages.pt"));
        const auto& type = *model.module->type();
        const auto tensor = [&](const char* name) {
            return model.module->slot(*type.find_attribute(name)).to_tensor();
        };
        QVERIFY(tensor("weight").is_same(tensor("shared")));
        QCOMPARE(tensor("rows").storage()->id(), tensor("columns").storage()->id());
        QCOMPARE(tensor("weight").storage()->category(), MemoryCategory::Parameter);
        QCOMPARE(tensor("float32_").storage()->category(), MemoryCategory::Buffer);
        QVERIFY(tensor("channels_last").is_channels_last());
    }

    void restores_attributes() {
        const ModelFile model = open_model(fixture("models/language.pt"));
        const auto repr = [&](const char* name) { return python_repr(model.module->attribute(name)); };
        QCOMPARE(repr("rate"), "0.25"s);
        QCOMPARE(repr("flag"), "True"s);
        QCOMPARE(repr("title"), "'a \"quoted\" title\\n'"s);
        QCOMPARE(repr("names"), "['one', 'two']"s);
        QCOMPARE(repr("missing"), "None"s);
        QCOMPARE(repr("device"), "device(type='cpu')"s);
        const auto type = [&](const char* name) { return type_of(model.module->attribute(name))->annotation_str(); };
        QCOMPARE(type("names"), "List[str]"s);
        QCOMPARE(type("table"), "Dict[str, int]"s);
        QCOMPARE(type("shapes"), "List[Tuple[int, int]]"s);
        QCOMPARE(model.module->attribute("mood").to_enum().name, "WILD"s);
        QVERIFY(!model.is_function);
        QCOMPARE(model.format, "TorchScript archive, version 8"s);
    }

    void runs_setstate() {
        // __getstate__ doubled the weight, __setstate__ halves it: see expected_models.txt.
        const ModelFile model = open_model(fixture("models/getstate.pt"));
        QVERIFY(model.module->attribute("weight").is_tensor());
        QVERIFY(nn::as_module(model.module->attribute("linear")) != nullptr);
    }

    void opens_functions() {
        const ModelFile model = open_model(fixture("models/function_horner.pt"));
        QVERIFY(model.is_function);
        QVERIFY(model.module->type()->find_method("forward") != nullptr);
    }

    void opens_lite_archives_with_code() {
        const ModelFile model = open_model(fixture("checkpoints/autoencoder.ptl"));
        QCOMPARE(model.module->named_parameters().size(), std::size_t{8});
    }

    void knows_the_users_lines() {
        const ModelFile model = open_model(fixture("models/mlp.pt"));
        const auto source = std::find_if(model.sources.begin(), model.sources.end(), [](const auto& s) {
            return s->file() == "code/__torch__/torch/nn/modules/linear.py";
        });
        QVERIFY(source != model.sources.end());
        const std::size_t call = (*source)->text().find("torch.linear(");
        QCOMPARE((ir::SourceRange{*source, call, call + 5}.short_text()),
                 "/usr/lib/python3/dist-packages/torch/nn/modules/linear.py:114"s);
    }

    void a_checkpoint_is_a_tree_without_a_program() {
        for (const char* name : {"checkpoints/autoencoder_weights.pt", "checkpoints/autoencoder_weights_legacy.pth"}) {
            const ModelFile model = open_model(fixture(name));
            QVERIFY(model.module->type()->methods().empty());
            QCOMPARE(model.module->state_dict().size(),
                     read_npz(fixture("checkpoints/autoencoder_weights.npz")).size());
            QVERIFY2(model.format.find("guessed") != std::string::npos, model.format.c_str());
        }
    }

    void says_what_a_file_is_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("line");
        const auto row = [](const char* file, const char* line) { QTest::newRow(file) << file << line; };
        row("models/mlp.in.npz",
            "mlp.in.npz: not a model that can be opened: NumPy arrays (.npz); give them as inputs of a model");
        row("io/package.pt",
            "package.pt: not a model that can be opened: a torch.package archive, whose code Python imports; in "
            "Python, load the model with "
            "torch.package.PackageImporter and save it with torch.jit.save");
        row("README.md", "README.md: not a model that can be opened: a text file");
    }
    void says_what_a_file_is() {
        QFETCH(QString, file);
        QFETCH(QString, line);
        ErrorKind kind{};
        QCOMPARE(error_of([&] { open_model(fixture(file.toStdString())); }, &kind), line.toStdString());
        QCOMPARE(kind, ErrorKind::File);
    }

    void knows_other_formats() {
        const auto kind = [&](std::string_view contents) {
            return identify_file(MappedFile::open(scratch_.write("other.bin", contents)));
        };
        QCOMPARE(kind("").description, "an empty file"s);
        QCOMPARE(kind("\x08\x07\x12\x07pytorch"s).kind, FileKind::Onnx);
        QCOMPARE(kind("\x10\0\0\0\0\0\0\0{\"a\":{\"dtype\":1}}"s).kind, FileKind::Safetensors);
        QCOMPARE(kind("\x18\0\0\0PTMF...."s).kind, FileKind::LiteFlatBuffer);
        QCOMPARE(kind("\x89HDF\r\n\x1a\n\0"s).description, "an HDF5 file (Keras)"s);
        QCOMPARE(kind("\x80\x02}q\0."s).description, "a Python pickle"s);
        QCOMPARE(kind(std::string(257, '\0') + "ustar\0"s).kind, FileKind::TarCheckpoint);
        QCOMPARE(kind("\0\1\2\3\xff"s).description, "no known kind of file; it starts with the bytes 00 01 02 03 ff"s);
        QCOMPARE(identify_file(MappedFile::open(changed({{"model.json", "{}"}}))).kind, FileKind::TorchScriptOld);
        QCOMPARE(identify_file(MappedFile::open(changed({{"archive_format", "pt2"}}))).kind, FileKind::ExportedProgram);
    }

    void refuses_what_does_not_fit() {
        ErrorKind kind{};
        QCOMPARE(open_error({}), ""s);
        QCOMPARE(open_error({{"version", "99\n"}}, &kind),
                 "changed.pt: file format version 99; the newest that is supported is 10"s);
        QCOMPARE(kind, ErrorKind::Unsupported);
        QCOMPARE(open_error({{"version", "?"}}), "changed.pt: bad version '?'"s);
        QCOMPARE(open_error({{"byteorder", "big"}}),
                 "changed.pt: written on a big-endian machine, which is not supported"s);
        QCOMPARE(open_error({{"data.pkl", "\x80\x02K\x01."s}}), "changed.pt: holds int, not a module"s);
        QCOMPARE(open_error({{"data.pkl", "\x80\x02"s + "cos\nsystem\nX\x02\0\0\0id\x85R."s}}, &kind),
                 "changed.pt: refers to 'os.system', which is not supported"s);
        QCOMPARE(kind, ErrorKind::Unsupported);
        QCOMPARE(open_error({{"data.pkl", "\x80\x02"s + "c__torch__\nNothing\n)\x81}b."}}),
                 "changed.pt: the archive's code has no class '__torch__.Nothing'"s);
        QCOMPARE(open_error({{"data/3", "short"}}),
                 "changed.pt: attribute 'bias': truncated: storage '3' has 5 bytes, its tensors need 64, at "
                 "__torch__.torch.nn.modules.linear.Linear"s);
        QCOMPARE(
            open_error({{"data/3", ""}}),
            "changed.pt: attribute 'bias': no entry for storage '3', at __torch__.torch.nn.modules.linear.Linear"s);
        // A class that wants more than the file gives, and one that has less.
        const std::string relu = "code/__torch__/torch/nn/modules/activation.py";
        const std::string head = "class ReLU(Module):\n  __parameters__ = []\n  __buffers__ = []\n";
        QCOMPARE(open_error({{relu, head + "  training : bool\n  _is_full_backward_hook : NoneType\n  more : int\n"}}),
                 "changed.pt: no value for attribute 'more', at __torch__.torch.nn.modules.activation.ReLU"s);
        QCOMPARE(open_error({{relu, head + "  training : bool\n"}}),
                 "changed.pt: a value for '_is_full_backward_hook', which the class does not have, at "
                 "__torch__.torch.nn.modules.activation.ReLU"s);
        QCOMPARE(open_error({{relu, head + "  training : int\n  _is_full_backward_hook : NoneType\n"}}),
                 "changed.pt: attribute 'training': expected int, the file has bool, at "
                 "__torch__.torch.nn.modules.activation.ReLU"s);
        QVERIFY(open_error({{relu, head + "  training : bool\n  training"}}, &kind).starts_with("changed.pt: "));
        QCOMPARE(kind, ErrorKind::Compile);
        const std::string self = "  a : __torch__.torch.nn.modules.activation.ReLU\n";
        QVERIFY(open_error({{relu, head + self}}).find("contains itself") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestTorchscript)
#include "test_torchscript.moc"
