// SPDX-License-Identifier: Apache-2.0
// Bytecode of fixture models gives what their graphs give, on a machine that knows the lite interpreter's instructions;
// what has no instruction is refused.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <map>

#include "core/autograd/grad_mode.h"
#include "core/base/strings.h"
#include "core/formats/archive/zip_reader.h"
#include "core/formats/archive/zip_writer.h"
#include "core/formats/format_registry.h"
#include "core/formats/lite/lite_bytecode.h"
#include "core/formats/lite/lite_debug.h"
#include "core/formats/torch_writer.h"
#include "core/ir/compilation_unit.h"
#include "core/ir/parser.h"
#include "core/ops/random/generator.h"
#include "core/plugin/plugin_loader.h"
#include "core/runtime/interpreter/interpreter.h"
#include "tests/formats/formats_test.h"
#include "tests/formats/lite_machine.h"

using namespace loupe;

namespace {

// "arg0", "arg1.0", ... back into arguments.
std::vector<IValue> read_arguments(const std::string& name) {
    std::vector<IValue> arguments;
    const auto path = fixture("models/" + name + ".in.npz");
    if (!std::filesystem::exists(path)) return arguments;
    std::map<std::size_t, TensorList> lists;
    for (const auto& [key, tensor] : read_npz(path)) {
        if (!key.starts_with("arg")) continue;
        const auto dot = key.find('.');
        const auto index = static_cast<std::size_t>(std::stoul(key.substr(3, dot - 3)));
        if (arguments.size() <= index) arguments.resize(index + 1);
        if (dot == std::string::npos)
            arguments[index] = tensor;
        else
            lists[index].push_back(tensor);
    }
    for (const auto& [index, list] : lists) arguments[index] = list;
    return arguments;
}
const std::vector<IValue>& entries(const IValue& tuple) { return tuple.to_tuple().elements; }
IValue code_of(const nn::Module& module, std::string_view method) {
    const IValue all = lite_bytecode(module).functions;
    for (const IValue& entry : entries(all)) {
        if (entry.is_tuple() && entries(entry)[0].to_string().ends_with(method)) return entries(entry)[1];
    }
    return {};
}
std::vector<std::string> names_of(const IValue& code) {
    std::vector<std::string> names;
    for (const IValue& instruction : entries(entries(entries(code)[0])[1]))
        names.push_back(entries(instruction)[0].to_string());
    return names;
}

void copy_without_code(const std::filesystem::path& from, const std::filesystem::path& to) {
    const ZipReader whole(MappedFile::open(from));
    ZipWriter lite(to);
    for (const ZipEntry& entry : whole.entries()) {
        if (!entry.name.ends_with(".py")) lite.add(entry.name, whole.read(entry, std::size_t{1} << 30));
    }
    lite.finish();
}

std::vector<float> run_on_ones(const ModelFile& model) {
    const GradModeScope no_grad(false);
    const Tensor ones = tensor_of<float>({1, 1, 1}, {1, 3});
    return elements<float>(runtime::run_method(model.module, "forward", {ones}).to_tensor());
}

// "packed(__torch__.lite_models.Packed)::forward at line 65 > aten::linear at line 33 'torch.nn.functional.linear(x,
// self.weight)'".
std::string text_of(const LitePlace& place) {
    std::string text;
    for (auto call = place.call; call; call = call->caller) {
        // The code of an archive names a function in full, and does not say where that was written.
        const std::string_view at = call->range.text();
        text = concat(call->scope, "(", call->function, ") at '",
                      at.substr(at.starts_with("__torch__") ? at.rfind('.') + 1 : 0), "' > ", text);
    }
    return concat(text, place.kind, " at ", place.range.short_text(), " '", place.range.text(), "'");
}
// Of the operators, in the order in which they run.
std::vector<std::string> operators_of(const std::filesystem::path& path, const std::string& function) {
    const TorchArchive archive(MappedFile::open(path));
    const auto places = read_lite_places(archive).at(function);
    const Pickle bytecode = archive.read_pickle("bytecode.pkl");
    std::vector<std::string> all;
    for (std::size_t i = 1; i < bytecode.root()->elements().size(); ++i) {
        const auto& parts = bytecode.root()->elements()[i]->elements();
        if (parts[0]->to_string() != function) continue;
        const auto& instructions = parts[1]->elements()[0]->elements()[1]->elements();
        if (instructions.size() != places.size()) return {"another number of handles"};
        for (std::size_t at = 0; at < places.size(); ++at) {
            if (instructions[at]->elements()[0]->to_string() == "OP") all.push_back(text_of(places[at]));
        }
    }
    return all;
}

}  // namespace

class TestLiteBytecode : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { plugins(); }
    void runs_as_the_graph_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("method");
        const QByteArray index = QByteArray::fromStdString(read_text_file(fixture("models/index.json")));
        // Hooks and __getstate__ are no part of the bytecode, nor is what the machine lacks: classes and operators of
        // plugins.
        static const QStringList others{"hooked",      "language",  "getstate", "detection",
                                        "lstm_packed", "googlenet", "inception"};
        for (const QJsonValue& item : QJsonDocument::fromJson(index).array()) {
            const QString name = item["name"].toString();
            const QString file = item["file"].toString();
            if (item.toObject().contains("error") || item["mode"].toString() == "train" ||
                others.contains(file.section('.', 0, 0)))
                continue;
            QTest::newRow(qPrintable(name)) << name << file << item["method"].toString();
        }
    }
    void runs_as_the_graph() {
        QFETCH(QString, name);
        QFETCH(QString, file);
        QFETCH(QString, method);
        const ModelFile model = open_model(fixture("models/" + file.toStdString()));
        const GradModeScope no_grad(false);
        const std::vector<IValue> arguments = read_arguments(name.toStdString());
        seed_generators(0);
        const IValue expected = runtime::run_method(model.module, method.toStdString(), arguments);
        const auto& schema = model.module->type()->find_method(method.toStdString())->schema();
        std::vector<IValue> inputs{Ptr<Object>(model.module)};
        inputs.insert(inputs.end(), arguments.begin(), arguments.end());
        for (std::size_t i = inputs.size(); i < schema.arguments.size(); ++i)
            inputs.push_back(*schema.arguments[i].default_value);
        seed_generators(0);
        const std::vector<IValue> stack = run_lite(code_of(*model.module, "." + method.toStdString()), inputs);
        QCOMPARE(stack.size(), 1U);
        TensorList own, wanted;
        visit_tensors(stack.front(), [&](const Tensor& t) { own.push_back(t); });
        visit_tensors(expected, [&](const Tensor& t) { wanted.push_back(t); });
        QCOMPARE(own.size(), wanted.size());
        QVERIFY(!own.empty() || values_equal(stack.front(), expected));
        for (std::size_t i = 0; i < own.size(); ++i) {
            QVERIFY(to_dims(own[i].sizes()) == to_dims(wanted[i].sizes()));
            if (own[i].dtype() == ScalarType::Float32)
                QVERIFY(std::ranges::equal(elements<float>(own[i]), elements<float>(wanted[i])));
        }
    }
    // A .ptl of which nothing but the bytecode is left gives the same, as a graph.
    void is_read_as_a_graph_data() { runs_as_the_graph_data(); }
    void is_read_as_a_graph() {
        QFETCH(QString, name);
        QFETCH(QString, file);
        QFETCH(QString, method);
        const ModelFile model = open_model(fixture("models/" + file.toStdString()));
        QTemporaryDir folder;
        const auto whole = std::filesystem::path(folder.path().toStdString()) / "whole.ptl";
        const auto lite = std::filesystem::path(folder.path().toStdString()) / "lite.ptl";
        write_torchscript(model, whole);
        copy_without_code(whole, lite);
        const ModelFile read = open_model(lite);
        QVERIFY(read.format.starts_with("Lite interpreter archive"));
        const GradModeScope no_grad(false);
        const std::vector<IValue> arguments = read_arguments(name.toStdString());
        seed_generators(0);
        const IValue expected = runtime::run_method(model.module, method.toStdString(), arguments);
        seed_generators(0);
        const IValue result = runtime::run_method(read.module, method.toStdString(), arguments);
        TensorList own, wanted;
        visit_tensors(result, [&](const Tensor& t) { own.push_back(t); });
        visit_tensors(expected, [&](const Tensor& t) { wanted.push_back(t); });
        QCOMPARE(own.size(), wanted.size());
        for (std::size_t i = 0; i < own.size(); ++i) {
            QVERIFY(to_dims(own[i].sizes()) == to_dims(wanted[i].sizes()));
            if (own[i].dtype() == ScalarType::Float32)
                QVERIFY(std::ranges::equal(elements<float>(own[i]), elements<float>(wanted[i])));
        }
    }
    // As PyTorch writes them (fixtures/lite/make_lite.py).
    void flatbuffers_are_read_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"mlp", "autoencoder", "control", "lstm"}) QTest::newRow(name) << name;
    }
    void flatbuffers_are_read() {
        QFETCH(QString, name);
        const ModelFile model = open_model(fixture("models/" + name.toStdString() + ".pt"));
        const ModelFile read = open_model(fixture("lite/" + name.toStdString() + ".ptl"));
        QVERIFY(read.format.starts_with("Lite interpreter FlatBuffer"));
        const GradModeScope no_grad(false);
        const std::vector<IValue> arguments = read_arguments(name.toStdString());
        TensorList own, wanted;
        visit_tensors(runtime::run_method(read.module, "forward", arguments),
                      [&](const Tensor& t) { own.push_back(t); });
        visit_tensors(runtime::run_method(model.module, "forward", arguments),
                      [&](const Tensor& t) { wanted.push_back(t); });
        QVERIFY(!own.empty() && own.size() == wanted.size());
        for (std::size_t i = 0; i < own.size(); ++i) {
            QVERIFY(to_dims(own[i].sizes()) == to_dims(wanted[i].sizes()));
            if (own[i].dtype() == ScalarType::Float32)
                QVERIFY(std::ranges::equal(elements<float>(own[i]), elements<float>(wanted[i])));
        }
    }
    // What is written as a FlatBuffer is read again; check_written.py has PyTorch read it.
    void flatbuffers_are_written_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"mlp", "control", "lstm", "transformer", "storages", "gpt_tied", "resnet18"})
            QTest::newRow(name) << name;
    }
    void flatbuffers_are_written() {
        QFETCH(QString, name);
        const ModelFile model = open_model(fixture("models/" + name.toStdString() + ".pt"));
        QTemporaryDir folder;
        const auto path = std::filesystem::path(folder.path().toStdString()) / "written.ff";
        write_torchscript(model, path);
        const ModelFile read = open_model(path);
        QVERIFY(read.format.starts_with("Lite interpreter FlatBuffer"));
        QVERIFY(read.module->state_dict().size() >= model.module->state_dict().size());
        const GradModeScope no_grad(false);
        const std::vector<IValue> arguments = read_arguments(name.toStdString());
        TensorList own, wanted;
        visit_tensors(runtime::run_method(read.module, "forward", arguments),
                      [&](const Tensor& t) { own.push_back(t); });
        visit_tensors(runtime::run_method(model.module, "forward", arguments),
                      [&](const Tensor& t) { wanted.push_back(t); });
        QVERIFY(!own.empty() && own.size() == wanted.size());
        for (std::size_t i = 0; i < own.size(); ++i) {
            QVERIFY(to_dims(own[i].sizes()) == to_dims(wanted[i].sizes()));
            if (own[i].dtype() == ScalarType::Float32)
                QVERIFY(std::ranges::equal(elements<float>(own[i]), elements<float>(wanted[i])));
        }
    }
    // Objects that their own code restores, as PyTorch writes them and as they are written here.
    void restored_objects() {
        QTemporaryDir folder;
        const auto at = [&](const char* name) { return std::filesystem::path(folder.path().toStdString()) / name; };
        const std::vector<float> expected{0.875F, 2.0F};  // PyTorch's
        const ModelFile model = open_model(fixture("lite/restored.pt"));
        QVERIFY(run_on_ones(model) == expected);
        copy_without_code(fixture("lite/restored_debug.ptl"), at("theirs.ptl"));
        write_torchscript(model, at("whole.ptl"));
        copy_without_code(at("whole.ptl"), at("ours.ptl"));
        write_torchscript(model, at("ours.ff"));
        for (const auto& path : {fixture("lite/restored.ff"), at("theirs.ptl"), at("ours.ptl"), at("ours.ff")}) {
            const ModelFile read = open_model(path);
            QVERIFY2(run_on_ones(read) == expected, path.c_str());
            QVERIFY2(read.format.starts_with("Lite"), path.c_str());
        }
    }
    void damaged_restored_objects_are_refused() {
        QTemporaryDir folder;
        const auto path = std::filesystem::path(folder.path().toStdString()) / "damaged.ff";
        const std::string whole = read_text_file(fixture("lite/restored.ff"));
        std::uint32_t random = 1;
        for (int i = 0; i < 2000; ++i) {
            std::string damaged = whole;
            random = random * 1664525U + 1013904223U;
            damaged[8 + (random >> 8) % (whole.size() - 8)] = static_cast<char>(random >> 3);
            write_file_atomically(path, damaged);
            error_of([&] { open_model(path); });  // an Error or a model, no crash
        }
    }
    // The same without code: any byte of bytecode, handles, calls and places may be wrong.
    void damaged_archives_are_refused() {
        QTemporaryDir folder;
        const auto path = std::filesystem::path(folder.path().toStdString()) / "damaged.ptl";
        const ZipReader whole(MappedFile::open(fixture("lite/restored_debug.ptl")));
        std::uint32_t random = 1;
        int read = 0;
        for (int i = 0; i < 1500; ++i) {
            random = random * 1664525U + 1013904223U;
            const std::size_t chosen = (random >> 8) % whole.entries().size();
            ZipWriter damaged(path);
            for (std::size_t k = 0; k < whole.entries().size(); ++k) {
                const ZipEntry& entry = whole.entries()[k];
                if (entry.name.ends_with(".py")) continue;
                std::string bytes = whole.read(entry, std::size_t{1} << 20);
                random = random * 1664525U + 1013904223U;
                if (k == chosen) bytes[(random >> 8) % bytes.size()] = static_cast<char>(random >> 3);
                damaged.add(entry.name, bytes);
            }
            damaged.finish();
            if (error_of([&] { open_model(path); }).empty()) ++read;  // an Error or a model, no crash
        }
        QVERIFY(read > 0 && read < 1500);
    }
    // Each operator's handle leads to the line and the modules that PyTorch's own file says.
    void debug_handles() {
        const std::string forward = "__torch__.lite_models.Restored.forward";
        const auto theirs = operators_of(fixture("lite/restored_debug.ptl"), forward);
        QVERIFY(theirs.size() > 10);
        QCOMPARE(theirs[0], std::string("packed(__torch__.lite_models.Packed.forward) at 'self.packed' > aten::linear "
                                        "at lite_models.py:28 'torch.nn.functional.linear'"));
        QTemporaryDir folder;
        const auto path = std::filesystem::path(folder.path().toStdString()) / "ours.ptl";
        const auto compare = [&] {
            const auto ours = operators_of(path, forward);
            for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) QCOMPARE(ours[i], theirs[i]);
            QCOMPARE(ours.size(), theirs.size());
        };
        const ModelFile model = open_model(fixture("lite/restored.pt"));
        write_torchscript(model, path);
        compare();
        write_script_module(*model.module, path);
        compare();
    }
    // PyTorch refuses a file that names a place by a number that no record has, be it an unknown place.
    void every_place_has_a_record() {
        const auto unit = make_ptr<ir::CompilationUnit>();
        const auto type = make_ptr<ClassType>("__torch__.M", true);
        unit->add_type(type);
        FunctionSchema schema = parse_schema("forward(Any self, Tensor x) -> Tensor");
        schema.arguments[0].type = type;
        const char* const graph =
            "graph(%self : __torch__.M, %x : Tensor):\n  %r : Tensor = aten::relu(%x) # m.py:3:4\n  return (%r)\n";
        unit->add_method(*type, make_ptr<ir::ScriptFunction>("__torch__.M.forward", ir::parse_graph(graph), schema));
        const auto module = make_ptr<nn::Module>(type);
        QTemporaryDir folder;
        const auto path = std::filesystem::path(folder.path().toStdString()) / "m.ptl";
        write_script_module(*module, path);
        const TorchArchive archive(MappedFile::open(path));
        std::vector<std::int64_t> known;
        for (const ZipEntry& entry : archive.zip().entries()) {
            if (!entry.name.ends_with(".debug_pkl")) continue;
            for (const TaggedPlace& each :
                 parse_tagged_records(archive.read(entry.name.substr(archive.root().size() + 1))))
                known.push_back(each.tag);
        }
        const Pickle calls = archive.read_pickle("callstack_debug_map.pkl");
        QVERIFY(calls.root()->elements().size() > 2);
        for (const PickleRef each : calls.root()->elements())
            QVERIFY(std::ranges::count(known, each->elements()[1]->to_int()) > 0);
    }
    // Without the code, the handles say where an error happened.
    void errors_of_bytecode_have_a_place() {
        QTemporaryDir folder;
        const auto path = std::filesystem::path(folder.path().toStdString()) / "lite.ptl";
        copy_without_code(fixture("lite/restored_debug.ptl"), path);
        const ModelFile read = open_model(path);
        try {
            runtime::run_method(read.module, "forward", {IValue(tensor_of<float>({1, 1}, {1, 2}))});
            QFAIL("runs on inputs of another size");
        } catch (const Error& error) {
            QCOMPARE(error.context().source, std::string("lite_models.py:28"));
            QCOMPARE(error.context().scope, std::string("packed"));
        }
    }
    void damaged_flatbuffers_are_refused() {
        QTemporaryDir folder;
        const auto path = std::filesystem::path(folder.path().toStdString()) / "damaged.ptl";
        const std::string whole = read_text_file(fixture("lite/mlp.ptl"));
        std::uint32_t random = 1;
        for (int i = 0; i < 3000; ++i) {
            std::string damaged = whole;
            random = random * 1664525U + 1013904223U;
            if (i % 3 == 0)
                damaged.resize(random % whole.size());
            else
                damaged[8 + (random >> 8) % (whole.size() - 8)] = static_cast<char>(random >> 3);
            write_file_atomically(path, damaged);
            error_of([&] { open_model(path); });  // an Error or a model, no crash
        }
        std::string far = whole;
        far.replace(0, 4, "\xff\xff\xff\x7f");
        write_file_atomically(path, far);
        QVERIFY(QString::fromStdString(error_of([&] {
                    open_model(path);
                })).contains("FlatBuffer: an offset beyond its end"));
    }
    void values_move_at_their_last_use() {
        const ModelFile model = open_model(fixture("models/autoencoder.pt"));
        const auto names = names_of(code_of(*model.module, ".forward"));
        QCOMPARE(names.front(), std::string("STOREN"));
        QCOMPARE(names.back(), std::string("RET"));
        QVERIFY(std::ranges::count(names, "MOVE") > 0);
    }
    void what_has_no_instruction_is_refused() {
        const ModelFile model = open_model(fixture("models/language.pt"));
        QTemporaryDir folder;
        const auto path = std::filesystem::path(folder.path().toStdString()) / "language.ptl";
        QCOMPARE(error_of([&] { write_torchscript(model, path); }),
                 std::string("the lite interpreter has no instruction for prim::CallMethod (language_models.py:202); "
                             "write a .pt file instead"));
        QVERIFY(!std::filesystem::exists(path));
    }
};

QTEST_GUILESS_MAIN(TestLiteBytecode)
#include "test_lite_bytecode.moc"
