// SPDX-License-Identifier: Apache-2.0
// torch.nn.functional and torch.nn.init against PyTorch: values for a seed, and messages (calls.txt, written by
// make_calls.py).

#include <QtTest>

#include <fstream>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/nn/native_function.h"
#include "core/ops/random/generator.h"
#include "tests/nn/constructor_call.h"
#include "tests/nn/digest.h"

using namespace loupe;

namespace {

struct Expected {
    std::string call;
    std::vector<std::string> outputs;
    std::string number, message;
};

std::vector<Expected> read_expected() {
    std::vector<Expected> out;
    std::ifstream file(LOUPE_SOURCE_DIR "/tests/nn/calls.txt");
    for (std::string line; std::getline(file, line);) {
        const std::string rest = line.substr(2);
        if (line[0] == '=') out.push_back({rest, {}, {}, {}});
        if (line[0] == 'y') out.back().outputs.push_back(rest);
        if (line[0] == 'v') out.back().number = rest;
        if (line[0] == 'e') out.back().message = rest;
    }
    return out;
}

std::string check(const Expected& expected) {
    seed_generators(3);
    IValue value;
    try {
        value = test::evaluate_call(expected.call);
    } catch (const Error& error) {
        const std::string first(split(error.message(), '\n').front());
        return first == expected.message ? std::string() : concat("says ", first);
    }
    if (!expected.message.empty()) return "no error";
    if (!expected.number.empty()) {
        const bool agrees = value.is_double() && python_repr(value.to_double()) == expected.number;
        return agrees ? std::string() : concat("got ", python_repr(value));
    }
    TensorList outputs;
    visit_tensors(value, [&](const Tensor& t) { outputs.push_back(t); });
    if (outputs.size() != expected.outputs.size()) return concat(outputs.size(), " outputs");
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (const auto found = test::digest_difference(outputs[i], expected.outputs[i], 2e-5); !found.empty())
            return found;
    }
    return {};
}

class CallsTest : public QObject {
    Q_OBJECT
  private slots:
    void as_pytorch_data();
    void as_pytorch();
    void every_schema_parses();
};

}  // namespace

void CallsTest::as_pytorch_data() {
    QTest::addColumn<int>("index");
    const auto all = read_expected();
    QVERIFY(all.size() > 150);
    for (std::size_t i = 0; i < all.size(); ++i) QTest::addRow("%s", all[i].call.c_str()) << static_cast<int>(i);
}

void CallsTest::as_pytorch() {
    QFETCH(int, index);
    static const auto all = read_expected();
    QCOMPARE(QString::fromStdString(check(all[static_cast<std::size_t>(index)])), QString());
}

void CallsTest::every_schema_parses() {
    for (const auto records : {nn::functional_records(), nn::init_records()}) {
        for (const nn::NativeFunction* record : records) {
            QCOMPARE(nn::schema_of(*record).name, std::string(record->name()));
            QVERIFY(!record->summary.empty());
        }
    }
}

QTEST_APPLESS_MAIN(CallsTest)
#include "test_calls.moc"
