// SPDX-License-Identifier: Apache-2.0
// Small programs that between them use the whole language, each against what PyTorch gave or how it failed.

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <fstream>

#include "core/base/error.h"
#include "core/formats/archive/zip_reader.h"
#include "core/formats/checkpoint/checkpoint.h"
#include "core/model/input_file.h"
#include "core/model/inputs.h"
#include "core/model/program.h"
#include "core/model/script_output.h"
#include "core/ops/random/generator.h"
#include "core/study/compare.h"

using namespace loupe;
using namespace loupe::session;

namespace {

constexpr std::size_t kLargest = std::size_t{1} << 20;

QString shown(const IValue& value) { return QString::fromStdString(python_repr(value)); }

// How a value differs from PyTorch's, which has tuples for named tuples and names for enums; empty when it does not.
QString difference(const IValue& got, const IValue& expected) {
    const QString both = QString("%1, expected %2").arg(shown(got), shown(expected));
    if (expected.is_tensor()) {
        if (!got.is_tensor() || got.to_tensor().dtype() != expected.to_tensor().dtype()) return both;
        const TensorDifference found = compare_tensors(got.to_tensor(), expected.to_tensor(), 1e-6, 1e-7);
        return found.is_equal ? QString()
                              : QString("tensor differs by %1 %2").arg(found.max_abs).arg(found.why.c_str());
    }
    if (expected.is_list() || expected.is_tuple()) {
        if (expected.is_list() ? !got.is_list() : !got.is_tuple()) return both;
        const auto& a = got.is_list() ? got.to_list().elements : got.to_tuple().elements;
        const auto& b = expected.is_list() ? expected.to_list().elements : expected.to_tuple().elements;
        if (a.size() != b.size()) return both;
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (const QString found = difference(a[i], b[i]); !found.isEmpty())
                return QString("[%1]: %2").arg(i).arg(found);
        }
        return {};
    }
    if (expected.is_dict()) {
        if (!got.is_dict() || got.to_dict().size() != expected.to_dict().size()) return both;
        for (std::size_t i = 0; i < expected.to_dict().size(); ++i) {
            const auto& [key, value] = expected.to_dict().entries()[i];
            const auto& [own_key, own_value] = got.to_dict().entries()[i];  // in the order of insertion
            if (!difference(own_key, key).isEmpty()) return both;
            if (const QString found = difference(own_value, value); !found.isEmpty())
                return QString("[%1]: %2").arg(shown(key), found);
        }
        return {};
    }
    if (expected.is_complex() && got.is_complex()) {
        return std::abs(got.to_complex() - expected.to_complex()) <= 1e-15 * std::abs(expected.to_complex()) ? QString()
                                                                                                             : both;
    }
    if (expected.is_double() && got.is_double()) {
        const double a = got.to_double();
        const double b = expected.to_double();
        const bool is_same = a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-12 * std::abs(b);
        return is_same && std::signbit(a) == std::signbit(b) ? QString() : both;
    }
    return values_equal(got, expected) && got.is_bool() == expected.is_bool() && got.is_int() == expected.is_int()
               ? QString()
               : both;
}

}  // namespace

class TestPrograms : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void come_out_as_in_pytorch_data();
    void come_out_as_in_pytorch();

  private:
    std::string extracted(const std::string& name);

    std::unique_ptr<ZipReader> zip_;
    QJsonObject index_;
    QTemporaryDir folder_;
};

void TestPrograms::initTestCase() {
    zip_ = std::make_unique<ZipReader>(MappedFile::open(LOUPE_SOURCE_DIR "/tests/fixtures/programs.zip"));
    index_ =
        QJsonDocument::fromJson(QByteArray::fromStdString(zip_->read(*zip_->find("index.json"), kLargest))).object();
    QVERIFY(index_.size() >= 90);
}

std::string TestPrograms::extracted(const std::string& name) {
    const std::string path = folder_.filePath(QString::fromStdString(name)).toStdString();
    const std::string bytes = zip_->read(*zip_->find(name), kLargest);
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
}

void TestPrograms::come_out_as_in_pytorch_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("call");
    QTest::addColumn<QString>("error");
    QTest::addColumn<QString>("pipeline");
    for (const QString& name : index_.keys()) {
        const QJsonArray calls = index_[name].toArray();
        for (int k = 0; k < calls.size(); ++k) {
            const QString error = calls[k].isNull() ? QString() : calls[k].toArray()[1].toString();
            for (const char* pipeline : {"none", "inline", "optimize", "freeze", "inference"}) {
                QTest::addRow("%s %d %s", qPrintable(name), k, pipeline)
                    << name << k << (calls[k].isNull() ? QString() : "!" + error) << pipeline;
            }
        }
    }
}

void TestPrograms::come_out_as_in_pytorch() {
    QFETCH(QString, name);
    QFETCH(int, call);
    QFETCH(QString, error);
    QFETCH(QString, pipeline);
    const std::string stem = name.toStdString() + "." + std::to_string(call);
    const WarningScope no_warnings([](const ScriptWarning&) {});
    const runtime::PrintScope no_prints([](std::string_view) {});
    try {
        const auto program = Program::open(extracted(name.toStdString() + ".pt"));
        program->module().eval();
        const PreparedMethod method(program, "forward", pipeline.toStdString());
        const std::string inputs = extracted(stem + ".in.pt");
        const auto arguments =
            make_inputs(input_specs_of_file(inputs, method.schema(), *program->info()), method.schema(), true);
        seed_generators(0);
        const IValue result = method.forward(arguments);
        QVERIFY2(error.isEmpty(), qPrintable("gave " + shown(result) + " instead of " + error));
        const QString found = difference(result, read_checkpoint(extracted(stem + ".out.pt")));
        QVERIFY2(found.isEmpty(), qPrintable(found));
    } catch (const Error& failure) {
        QVERIFY2(!error.isEmpty(), failure.what());
        // Behind the "!" and the name of what raised.
        const QString message =
            error.mid(1).section("RuntimeError: ", -1).section("builtins.", -1).section("AssertionError: ", -1);
        QVERIFY2(QString(failure.what()).contains(message.section("RuntimeError:", -1)), failure.what());
    }
}

QTEST_GUILESS_MAIN(TestPrograms)
#include "test_programs.moc"
