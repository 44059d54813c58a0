// SPDX-License-Identifier: Apache-2.0
// Layers against PyTorch: printed form, initial weights for a seed, outputs for seeded inputs (layers.txt, written by
// make_layers.py).

#include <QtTest>

#include <fstream>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/dispatch/call.h"
#include "core/nn/layer.h"
#include "core/ops/random/generator.h"
#include "tests/nn/constructor_call.h"
#include "tests/nn/digest.h"

using namespace loupe;

namespace {

struct Expected {
    std::string call;
    std::vector<std::string> printed, state, inputs, outputs;
};

std::vector<Expected> read_expected() {
    std::vector<Expected> out;
    std::ifstream file(LOUPE_SOURCE_DIR "/tests/nn/layers.txt");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("= "))
            out.push_back({line.substr(2), {}, {}, {}, {}});
        else if (line.starts_with("+ "))
            out.back().state.push_back(line.substr(2));
        else if (line.starts_with("x "))
            out.back().inputs.push_back(line.substr(2));
        else if (line.starts_with("y "))
            out.back().outputs.push_back(line.substr(2));
        else
            out.back().printed.push_back(line);
    }
    return out;
}

IValue drawn(std::string_view shape) {
    static const OperatorHandle<> op_randn("aten::randn");
    Dims sizes;
    for (const auto part : split(shape, 'x')) sizes.push_back(std::stoll(std::string(part)));
    return op_randn(sizes, IValue(), IValue(), IValue(), IValue());
}

std::string check(const Expected& expected) {
    seed_generators(7);
    const TorchReleaseScope release(TorchRelease::V1_13);
    const nn::ModulePtr module = test::build_layer(expected.call);
    if (const std::string printed = join(expected.printed, "\n"); module->str() != printed) {
        return concat("prints ", module->str(), ", expected ", printed);
    }
    const auto state = module->state_dict();
    if (state.size() != expected.state.size())
        return concat(state.size(), " entries of state, expected ", expected.state.size());
    for (std::size_t i = 0; i < state.size(); ++i) {
        const std::string_view line = expected.state[i];
        const auto space = line.find(' ');
        if (state[i].first != line.substr(0, space)) return concat("state has ", state[i].first, ", expected ", line);
        // Initial weights are the same numbers.
        if (const auto found = test::digest_difference(state[i].second, line.substr(space + 1), 0); !found.empty())
            return concat(state[i].first, ": ", found);
    }
    if (expected.inputs.empty()) return {};
    std::vector<IValue> inputs;
    for (const auto& shape : expected.inputs) inputs.push_back(drawn(shape));
    TensorList outputs;
    visit_tensors(module->call(std::move(inputs)), [&](const Tensor& t) { outputs.push_back(t); });
    if (outputs.size() != expected.outputs.size())
        return concat(outputs.size(), " outputs, expected ", expected.outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (const auto found = test::digest_difference(outputs[i], expected.outputs[i], 2e-5); !found.empty())
            return concat("output ", i, ": ", found);
    }
    return {};
}

class LayersTest : public QObject {
    Q_OBJECT
  private slots:
    void as_pytorch_makes_them_data();
    void as_pytorch_makes_them();
    void every_record_resolves();
};

}  // namespace

void LayersTest::as_pytorch_makes_them_data() {
    QTest::addColumn<int>("index");
    const auto all = read_expected();
    QVERIFY(all.size() > 100);
    for (std::size_t i = 0; i < all.size(); ++i) QTest::addRow("%s", all[i].call.c_str()) << static_cast<int>(i);
}

void LayersTest::as_pytorch_makes_them() {
    QFETCH(int, index);
    static const auto all = read_expected();
    std::string found;
    try {
        found = check(all[static_cast<std::size_t>(index)]);
    } catch (const Error& error) {
        found = error.what();
    }
    QCOMPARE(QString::fromStdString(found), QString());
}

// Schemas parse, bases exist, and the functions that layers call take what they are given.
void LayersTest::every_record_resolves() {
    for (const nn::LayerRecord* record : nn::layer_records()) {
        nn::constructor_schema(*record);
        nn::forward_schema(*record);
        QVERIFY2(nn::is_derived(*record, "Module"), std::string(record->name).c_str());
        QVERIFY2(!record->summary.empty(), std::string(record->name).c_str());
    }
}

QTEST_APPLESS_MAIN(LayersTest)
#include "test_layers.moc"
