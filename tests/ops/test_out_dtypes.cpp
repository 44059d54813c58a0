// SPDX-License-Identifier: Apache-2.0
// An out= form converts into another dtype, or refuses it, as PyTorch does and in its words: one line of out_dtypes.txt
// (asked of PyTorch by make_out_dtype_table.py) a call.

#include <QtTest>

#include "core/autograd/grad_mode.h"
#include "core/base/strings.h"
#include "tests/ops/dtype_samples.h"
#include "tests/support/table.h"

using namespace loupe;

namespace {

std::vector<IValue> call(const Operator& op, const std::vector<IValue>& arguments) {
    std::vector<IValue> results(std::max<std::size_t>(op.result_count(), 1));
    call_operator(op, arguments, results.data());
    results.resize(op.result_count());
    return results;
}

std::string answer(const Operator& op, const Operator& out_form, std::size_t changed, ScalarType dtype) {
    const GradModeScope no_grad(false);
    std::vector<IValue> arguments = sample_in(op, ScalarType::Float32);
    const TensorList made = sweep::tensors_in(call(op, sample_in(op, ScalarType::Float32)));
    for (std::size_t i = 0; i < made.size(); ++i)
        arguments.emplace_back(empty(made[i].sizes(), i == changed ? dtype : made[i].dtype()));
    try {
        call(out_form, arguments);
        return "ok";
    } catch (const Error& error) {
        return error.message();
    }
}

}  // namespace

class TestOutDtypes : public QObject {
    Q_OBJECT

  private slots:
    void answers_data() {
        QTest::addColumn<QStringList>("row");
        for (const auto& row : test::read_table("ops/out_dtypes.txt", '|')) {
            QStringList fields;
            for (const std::string& field : row) fields << QString::fromStdString(field);
            QTest::addRow("%s, %s, %s", row[0].c_str(), row[1].c_str(), row[2].c_str()) << fields;
        }
    }
    void answers() {
        QFETCH(QStringList, row);
        const Operator* op = find_operator(row[0].toStdString());
        QVERIFY2(op != nullptr, "no such operator");
        const Operator* out_form = find_operator(op->schema.name, row[1].toStdString());
        QVERIFY2(out_form != nullptr, "no such out= form");
        const ScalarType dtype = dtype_from_name(row[3].toStdString()).value();
        QCOMPARE(QString::fromStdString(answer(*op, *out_form, static_cast<std::size_t>(row[2].toInt()), dtype)),
                 row.mid(4).join('|'));
    }
};

QTEST_GUILESS_MAIN(TestOutDtypes)
#include "test_out_dtypes.moc"
