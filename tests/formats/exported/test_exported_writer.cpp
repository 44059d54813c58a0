// SPDX-License-Identifier: Apache-2.0
// Writing programs of torch.export: what is written runs as what was read, and is laid out as PyTorch lays it out
// (fixtures/exported, make_exported.py). tests/cli/check_exported.py holds the same against PyTorch itself.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/autograd/grad_mode.h"
#include "core/base/strings.h"
#include "core/formats/archive/zip_reader.h"
#include "core/formats/exported/exported_reader.h"
#include "core/formats/numpy/npy.h"
#include "core/model/convert.h"
#include "core/model/program.h"
#include "core/study/compare.h"
#include "tests/formats/formats_test.h"

using namespace loupe;
using Json = nlohmann::ordered_json;

namespace {

std::filesystem::path example(const std::string& name) { return fixture("exported/" + name); }

std::shared_ptr<session::Program> open_scripted(const std::string& name) {
    auto program = session::Program::open(example(name));
    program->script();
    return program;
}

class Written {
  public:
    // The program of `from` as a .pt2 file, and what that opens as.
    explicit Written(const std::shared_ptr<session::Program>& from, const std::vector<std::string>& dynamic = {},
                     const std::string& pipeline = "none") {
        path = std::filesystem::path(folder_.path().toStdString()) / "written.pt2";
        session::ConvertOptions options{.pipeline = pipeline};
        for (const std::string& each : dynamic) options.writer.options.emplace_back("dynamic", each);
        session::convert(
            from->info()->path, path, [&] { return from; }, options);
        program = session::Program::open(path);
    }
    Json json() const { return Json::parse(exported::program_text(MappedFile::open(path))); }

    std::filesystem::path path;
    std::shared_ptr<session::Program> program;

  private:
    QTemporaryDir folder_;
};

IValue run(const std::shared_ptr<session::Program>& program, std::vector<IValue> arguments) {
    const GradModeScope grad(true);
    return session::PreparedMethod(program, "forward", "none").forward(std::move(arguments));
}

std::vector<IValue> defaults(const std::shared_ptr<session::Program>& program) {
    return program->make_arguments(program->default_inputs("forward"), "forward");
}

void collect(const IValue& value, std::vector<IValue>& out) {
    if (value.is_list()) {
        for (const IValue& each : value.to_list().elements) collect(each, out);
    } else if (value.is_tuple()) {
        for (const IValue& each : value.to_tuple().elements) collect(each, out);
    } else if (value.is_dict()) {
        for (const auto& [key, each] : value.to_dict().entries()) collect(each, out);
    } else {
        out.push_back(value);
    }
}

// Empty when both are the same.
std::string differences(const IValue& written, const IValue& wanted) {
    std::vector<IValue> a;
    std::vector<IValue> b;
    collect(written, a);
    collect(wanted, b);
    if (a.size() != b.size()) return concat(a.size(), " leaves, not ", b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i].is_tensor() != b[i].is_tensor()) return concat("leaf ", i, " is of another type");
        if (!a[i].is_tensor()) {
            if (!values_equal(a[i], b[i])) return concat("leaf ", i, " is ", python_str(a[i]));
            continue;
        }
        const auto difference = session::compare_tensors(a[i].to_tensor(), b[i].to_tensor(), 1e-5, 1e-5);
        if (!difference.is_equal) return concat("leaf ", i, " by ", difference.max_abs, " ", difference.why);
    }
    return {};
}

std::set<std::string> keys_of(const Json& object) {
    std::set<std::string> keys;
    for (const auto& [key, value] : object.items()) keys.insert(key);
    return keys;
}

std::string names_of_modules(const std::shared_ptr<session::Program>& program) {
    std::vector<std::string> names;
    for (const auto& [path, module] : program->module().named_modules())
        names.push_back(concat(path, ":", module->class_name()));
    return join(names, " ");
}

}  // namespace

class TestExportedWriter : public QObject {
    Q_OBJECT

  private slots:
    void programs_are_written_again_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("pipeline");
        for (const char* name : {"nested", "nested_core", "loops", "loops_core", "sizes", "sizes_core"}) {
            for (const char* pipeline : {"none", "DCE"})
                QTest::addRow("%s %s", name, pipeline) << QByteArray(name) << QByteArray(pipeline);
        }
    }
    // As the file has them, and from the graph.
    void programs_are_written_again() {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, pipeline);
        const auto program = session::Program::open(example((name + ".pt2").toStdString()));
        const auto inputs = defaults(program);
        const Written written(program, {}, pipeline.toStdString());
        QCOMPARE(differences(run(written.program, defaults(written.program)), run(program, inputs)), std::string());
        QCOMPARE(names_of_modules(written.program), names_of_modules(program));
        std::vector<std::string> names;
        std::vector<std::string> wanted;
        for (const auto& [key, tensor] : written.program->module().state_dict()) names.push_back(key);
        for (const auto& [key, tensor] : program->module().state_dict()) wanted.push_back(key);
        std::ranges::sort(names);
        std::ranges::sort(wanted);
        QCOMPARE(join(names, " "), join(wanted, " "));
    }

    void scripts_are_written_data() {
        QTest::addColumn<QByteArray>("name");
        for (const char* name :
             {"mlp", "lstm", "gru", "attention", "autoencoder", "batchnorm_train", "gpt_tied", "resnet18"})
            QTest::newRow(name) << QByteArray(name);
    }
    void scripts_are_written() {
        QFETCH(QByteArray, name);
        const auto file = fixture("models/" + name.toStdString() + ".pt");
        if (!std::filesystem::exists(file)) QSKIP("there is no such fixture");
        const auto program = session::Program::open(file);
        const Written written(program);
        const auto inputs = defaults(written.program);
        QCOMPARE(differences(run(written.program, inputs), run(session::Program::open(file), inputs)), std::string());
    }

    void elements_decide_branches_and_loops() {
        const auto program = open_scripted("branches.py");
        const Written written(program);
        const Json graph = written.json()["graph_module"]["graph"];
        std::vector<std::string> higher_order;
        for (const Json& node : graph["nodes"]) {
            const std::string target = node["target"];
            if (target.find("higher_order") != std::string::npos)
                higher_order.push_back(target.substr(target.rfind('.') + 1));
        }
        QCOMPARE(join(higher_order, " "), std::string("cond while_loop"));
        for (const double value : {1.0, -3.0, 40.0}) {
            Tensor x = empty(std::vector<std::int64_t>{2, 4}, ScalarType::Float32);
            std::fill_n(x.data<float>(), 8, static_cast<float>(value));
            // Each run changes a buffer: both begin anew.
            const auto again = session::Program::open(written.path);
            QCOMPARE(differences(run(again, {IValue(x)}), run(open_scripted("branches.py"), {IValue(x)})),
                     std::string());
        }
    }

    void nodes_know_their_module_and_line() {
        const Written written(open_scripted("branches.py"));
        const Json graph = written.json()["graph_module"]["graph"];
        const Json& first = graph["nodes"][0];
        QCOMPARE(first["metadata"]["nn_module_stack"].get<std::string>(), std::string("L__self__,,__main__.Branches"));
        const std::string trace = first["metadata"]["stack_trace"];
        QVERIFY2(trace.find("branches.py\", line 14, in forward\n    self.calls += 1") != std::string::npos,
                 trace.c_str());
        const Json branch = first;
        for (const Json& node : graph["nodes"]) {
            if (node["target"] != "torch.ops.higher_order.cond") continue;
            const Json linear = node["inputs"][1]["arg"]["as_graph"]["graph"]["nodes"][0];
            const std::string stack = linear["metadata"]["nn_module_stack"];
            QVERIFY2(stack.ends_with("L__self__linear,linear,torch.nn.modules.linear.Linear"), stack.c_str());
        }
    }

    void sizes_may_differ() {
        const auto program = session::Program::open(fixture("models/mlp.pt"));
        const Written written(program, {"arg0:0=batch"});
        const Json ranges = written.json()["range_constraints"];
        QCOMPARE(ranges.dump(), std::string(R"({"s0":{"min_val":2,"max_val":null}})"));
        auto inputs = defaults(written.program);
        const Tensor example = inputs.at(0).to_tensor();
        std::vector<std::int64_t> sizes(example.sizes().begin(), example.sizes().end());
        sizes[0] += 9;
        const Tensor other = zeros(sizes);
        QCOMPARE(differences(run(written.program, {IValue(other)}), run(program, {IValue(other)})), std::string());
        sizes[1] += 1;
        const std::string line = error_of([&] { run(written.program, {IValue(zeros(sizes))}); });
        QVERIFY2(line.find("size 1 of") != std::string::npos, line.c_str());
    }

    // Every entry and every key that PyTorch writes, and no other.
    void is_laid_out_as_by_PyTorch() {
        const auto program = session::Program::open(example("nested.pt2"));
        const Written written(program, {}, "DCE");
        const ZipReader ours(MappedFile::open(written.path));
        const ZipReader theirs(MappedFile::open(example("nested.pt2")));
        const auto names = [](const ZipReader& zip) {
            std::set<std::string> out;
            for (const ZipEntry& entry : zip.entries()) out.insert(entry.name.substr(entry.name.find('/') + 1));
            return out;
        };
        std::set<std::string> wanted = names(theirs);
        QVERIFY(names(ours) == wanted);
        const Json a = written.json();
        const Json b = Json::parse(exported::program_text(MappedFile::open(example("nested.pt2"))));
        QVERIFY(keys_of(a) == keys_of(b));
        QVERIFY(keys_of(a["graph_module"]) == keys_of(b["graph_module"]));
        const Json& graph = a["graph_module"]["graph"];
        const Json& other = b["graph_module"]["graph"];
        QVERIFY(keys_of(graph) == keys_of(other));
        QVERIFY(keys_of(graph["nodes"][0]) == keys_of(other["nodes"][0]));
        QVERIFY(keys_of(graph["nodes"][0]["inputs"][0]) == keys_of(other["nodes"][0]["inputs"][0]));
        QVERIFY(keys_of(graph["tensor_values"]["x"]) == keys_of(other["tensor_values"]["x"]));
        const Json& call = a["graph_module"]["module_call_graph"][0];
        QVERIFY(call == b["graph_module"]["module_call_graph"][0]);
        // The same operators on the same parameters.
        QCOMPARE(graph["nodes"][0]["target"].dump(), other["nodes"][0]["target"].dump());
        QCOMPARE(graph["nodes"][0]["inputs"].dump(), other["nodes"][0]["inputs"].dump());
        QCOMPARE(graph["tensor_values"]["p_block_linear_weight"].dump(),
                 other["tensor_values"]["p_block_linear_weight"].dump());
    }

    void what_cannot_be_said_is_one_line() {
        const auto program = open_scripted("branches.py");
        const std::string line = error_of([&] { Written(program, {"arg0:7=batch"}); });
        QVERIFY2(line.find("there is no such size") != std::string::npos && line.find('\n') == std::string::npos,
                 line.c_str());
    }
};

QTEST_GUILESS_MAIN(TestExportedWriter)
#include "test_exported_writer.moc"
