// SPDX-License-Identifier: Apache-2.0
// Programs of torch.export as models: fixtures/exported (make_exported.py).
#include <algorithm>

#include "core/autograd/grad_mode.h"
#include "core/base/strings.h"
#include "core/formats/exported/symbols.h"
#include "core/formats/format_registry.h"
#include "core/formats/numpy/npy.h"
#include "core/ir/graph.h"
#include "core/model/program.h"
#include "core/study/compare.h"
#include "tests/formats/formats_test.h"

using namespace loupe;

namespace {

std::filesystem::path program_file(const char* name) { return fixture(std::string("exported/") + name); }

std::shared_ptr<session::Program> open(const char* name) { return session::Program::open(program_file(name)); }

Tensor array(const char* file, const std::string& wanted) {
    for (const auto& [name, tensor] : read_npz(program_file(file))) {
        if (name == wanted) return tensor;
    }
    return {};
}

IValue run(const std::shared_ptr<session::Program>& program, std::vector<IValue> arguments) {
    return session::PreparedMethod(program, "forward", "none").forward(std::move(arguments));
}

void collect(const IValue& value, TensorList& out) {
    if (value.is_tensor()) out.push_back(value.to_tensor());
    if (value.is_list()) {
        for (const IValue& each : value.to_list().elements) collect(each, out);
    }
    if (value.is_tuple()) {
        for (const IValue& each : value.to_tuple().elements) collect(each, out);
    }
    if (value.is_dict()) {
        for (const auto& [key, each] : value.to_dict().entries()) collect(each, out);
    }
}

// How the outputs differ from PyTorch's; empty when they do not.
std::string differences(const IValue& output, const char* expected) {
    TensorList outputs;
    collect(output, outputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const Tensor wanted = array(expected, concat("out", i));
        if (!wanted.defined()) return concat("PyTorch gives no out", i);
        const auto difference = session::compare_tensors(outputs[i], wanted, 1e-4, 1e-4);
        if (!difference.is_equal) return concat("out", i, " by ", difference.max_abs, " ", difference.why);
    }
    return outputs.empty() ? std::string("no outputs") : std::string();
}

}  // namespace

class TestExported : public QObject {
    Q_OBJECT

  private slots:
    void runs_as_PyTorch_does_data() {
        QTest::addColumn<QByteArray>("name");
        for (const char* name : {"nested", "nested_core", "loops", "loops_core", "sizes", "sizes_core"})
            QTest::newRow(name) << QByteArray(name);
    }
    // From the inputs that the file holds.
    void runs_as_PyTorch_does() {
        QFETCH(QByteArray, name);
        const auto program = open((name + ".pt2").constData());
        const auto arguments = program->make_arguments(program->default_inputs("forward"), "forward");
        const GradModeScope grad(true);
        QCOMPARE(differences(run(program, arguments), (name + ".out.npz").constData()), std::string());
    }

    void modules_are_those_that_were_exported() {
        const auto program = open("nested.pt2");
        std::vector<std::string> modules;
        for (const auto& [path, module] : program->module().named_modules())
            modules.push_back(concat(path, ":", module->class_name()));
        const std::vector<std::string> expected{":Nested",
                                                "block:Block",
                                                "block.linear:Linear",
                                                "norm:BatchNorm1d",
                                                "layers:ModuleList",
                                                "layers.0:Block",
                                                "layers.0.linear:Linear",
                                                "layers.1:Block",
                                                "layers.1.linear:Linear"};
        QCOMPARE(join(modules, " "), join(expected, " "));
        std::vector<std::string> saved;
        for (const auto& [name, tensor] : program->module().state_dict()) saved.push_back(name);
        QVERIFY(std::ranges::find(saved, "block.calls") != saved.end());
        QVERIFY(std::ranges::find(saved, "block.scale") == saved.end());  // not saved by PyTorch either
    }

    void nodes_know_their_module_and_line() {
        const auto program = open("nested.pt2");
        const ir::Node* linear = nullptr;
        for (const ir::Node* node : program->method("forward").graph()->nodes()) {
            if (linear == nullptr && node->kind().str() == "aten::linear") linear = node;
        }
        QVERIFY(linear != nullptr);
        QCOMPARE(linear->scope(), std::string("block.linear"));
        const auto place = linear->range().position();
        QVERIFY(place && place->file.ends_with("make_exported.py"));
        QCOMPARE(std::string(linear->range().text()), std::string("return self.linear(x) * self.scale + self.shift"));
    }

    void outputs_have_their_structure() {
        const auto program = open("nested.pt2");
        const auto arguments = program->make_arguments(program->default_inputs("forward"), "forward");
        const IValue output = run(program, arguments);
        QVERIFY(output.is_dict());
        QCOMPARE(output.to_dict().find(IValue("half"))->to_int(), 3);
        QCOMPARE(output.to_dict().find(IValue("seven"))->to_int(), 7);
        QVERIFY(output.to_dict().find(IValue("list"))->to_list().elements[1].is_tuple());
    }

    void buffers_are_written_data() {
        QTest::addColumn<QByteArray>("name");
        for (const char* name : {"nested.pt2", "nested_core.pt2"}) QTest::newRow(name) << QByteArray(name);
    }
    void buffers_are_written() {
        QFETCH(QByteArray, name);
        const auto program = open(name.constData());
        const auto arguments = program->make_arguments(program->default_inputs("forward"), "forward");
        for (int i = 0; i < 3; ++i) run(program, arguments);
        QCOMPARE(elements<float>(program->module().get_buffer("block.calls")), std::vector<float>{3});
    }

    void other_sizes_run_in_their_range() {
        const auto program = open("nested.pt2");
        const auto with = [&](std::int64_t a, std::int64_t b, std::int64_t columns) {
            const std::vector<std::int64_t> x{a, columns};
            const std::vector<std::int64_t> more{b, 4};
            run(program, {IValue(zeros(x)), IValue(zeros(more))});
        };
        QCOMPARE(error_of([&] { with(10, 10, 4); }), std::string());
        const std::string fixed = error_of([&] { with(6, 6, 5); });
        QVERIFY2(fixed.find("size 1 of 'x' must be 4") != std::string::npos, fixed.c_str());
        const std::string many = error_of([&] { with(200, 200, 4); });
        QVERIFY2(many.find("at most") != std::string::npos, many.c_str());
        const std::string tied = error_of([&] { with(6, 8, 4); });
        QVERIFY2(tied.find("must be 2*") != std::string::npos, tied.c_str());
    }

    // One line, whatever is cut or changed.
    // As Python's integers.
    void sizes_are_computed_at_their_limits_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<qlonglong>("s0");
        QTest::addColumn<qlonglong>("expected");
        constexpr qlonglong kLeast = std::numeric_limits<qlonglong>::min();
        const auto row = [](const char* text, qlonglong s0, qlonglong expected) {
            QTest::addRow("%s at %lld", text, s0) << QByteArray(text) << s0 << expected;
        };
        row("CeilDiv(s0, 2)", 7, 4);
        row("CeilDiv(s0, 2)", -7, -3);
        row("CeilDiv(s0, 2)", 6, 3);
        row("CeilDiv(s0, 1)", kLeast, kLeast);
        row("Mod(s0, 3)", -7, 2);
        row("s0 % 9223372036854775807", kLeast, 9223372036854775806);
        row("s0 // 9223372036854775807", kLeast, -2);
        row("Integer(-9223372036854775808)", 0, kLeast);
        row("Integer(-3) + s0", 5, 2);
    }
    void sizes_are_computed_at_their_limits() {
        QFETCH(QByteArray, text);
        QFETCH(qlonglong, s0);
        QFETCH(qlonglong, expected);
        const auto parsed = exported::parse_symbol_expression(text.toStdString());
        QVERIFY(parsed.has_value());
        const auto value = exported::evaluate(*parsed, {{"s0", s0}});
        QVERIFY(value.has_value());
        QCOMPARE(qlonglong{*value}, expected);
    }

    void expressions_without_end_are_not_read() {
        std::string sum = "s0";
        for (int i = 0; i < 200'000; ++i) sum += " + s0";
        QVERIFY(!exported::parse_symbol_expression(sum));
        QVERIFY(!exported::parse_symbol_expression(std::string(200'000, '(') + "s0" + std::string(200'000, ')')));
    }

    void damaged_files_are_errors() {
        const std::string bytes = read_text_file(program_file("nested.pt2"));
        QTemporaryDir folder;
        const auto file = std::filesystem::path(folder.path().toStdString()) / "damaged.pt2";
        for (std::size_t i = 1; i < 40; ++i) {
            std::string cut = bytes.substr(0, bytes.size() * i / 40);
            write_file_atomically(file, cut);
            QVERIFY(!error_of([&] { open_model(file); }).empty());
        }
        for (std::size_t i = 0; i < 200; ++i) {
            std::string changed = bytes;
            changed[(i * 7919) % changed.size()] = static_cast<char>(i);
            write_file_atomically(file, changed);
            const std::string line = error_of([&] { open_model(file); });  // or none: names may change
            QVERIFY2(line.find('\n') == std::string::npos, line.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TestExported)
#include "test_exported.moc"
