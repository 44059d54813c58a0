// SPDX-License-Identifier: Apache-2.0
// What PyTorch computes in a dtype, the engine computes too: one call of every swept operator in every dtype that
// dtypes.txt (asked of PyTorch by make_dtype_table.py) lists for it.

#include <QtTest>

#include "core/base/file.h"
#include "core/base/strings.h"
#include "tests/ops/dtype_samples.h"

using namespace loupe;

namespace {

// What PyTorch computes and the engine does not. Nothing else may be missing, and nothing here may work.
struct Gap {
    std::string_view name;
    std::string_view letters;
};
constexpr Gap kGaps[] = {  // The gradients of integers and of floats of eight bits, which nothing asks for.
    {"aten::mse_loss_backward", "liscu"},
    {"aten::smooth_l1_loss_backward", "iscu"}};

bool is_gap(std::string_view name, char letter) {
    return std::any_of(std::begin(kGaps), std::end(kGaps), [&](const Gap& gap) {
        return gap.name == name && gap.letters.find(letter) != std::string_view::npos;
    });
}

}  // namespace

class TestDtypes : public QObject {
    Q_OBJECT

  private slots:
    void supported_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("letters");
        const std::string text = read_text_file(std::string(LOUPE_SOURCE_DIR) + "/tests/ops/dtypes.txt");
        for (const std::string_view line : split(text, '\n')) {
            if (line.empty() || line[0] == '#') continue;
            const auto parts = split(line, ' ');
            const auto name = QString::fromStdString(std::string(parts[0]));
            QTest::newRow(qPrintable(name)) << name << QString::fromStdString(std::string(parts[1]));
        }
    }
    void supported() {
        QFETCH(QString, name);
        QFETCH(QString, letters);
        const Operator* op = find_operator(name.toStdString());
        QVERIFY2(op != nullptr, "no such operator");
        std::string missing;
        std::vector<ScalarType> dtypes(std::begin(kAllDtypes), std::end(kAllDtypes));
        dtypes.insert(dtypes.end(), std::begin(kRareDtypes), std::end(kRareDtypes));
        for (const ScalarType dtype : dtypes) {
            if (!letters.contains(QLatin1Char(letter_of(dtype)))) continue;
            const bool expected = !is_gap(name.toStdString(), letter_of(dtype));
            try {
                std::vector<IValue> results(std::max<std::size_t>(op->result_count(), 1));
                call_operator(*op, sample_in(*op, dtype), results.data());
                if (!expected) missing += concat(dtype_name(dtype), " works: no gap any more; ");
            } catch (const Error& error) {
                if (expected) missing += concat(dtype_name(dtype), ": ", error.message(), "; ");
            }
        }
        QVERIFY2(missing.empty(), missing.c_str());
    }

  private:
    static char letter_of(ScalarType dtype) {
        constexpr std::string_view kLetters = "fdhbliscu?FD";  // in the order of kAllDtypes
        constexpr std::string_view kRareLetters = "HIQ8e";     // of kRareDtypes
        const auto* rare = std::find(std::begin(kRareDtypes), std::end(kRareDtypes), dtype);
        if (rare != std::end(kRareDtypes))
            return kRareLetters[static_cast<std::size_t>(rare - std::begin(kRareDtypes))];
        const auto* at = std::find(std::begin(kAllDtypes), std::end(kAllDtypes), dtype);
        return kLetters[static_cast<std::size_t>(at - std::begin(kAllDtypes))];
    }
};

QTEST_GUILESS_MAIN(TestDtypes)
#include "test_dtypes.moc"
