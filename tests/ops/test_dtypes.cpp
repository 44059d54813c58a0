// SPDX-License-Identifier: Apache-2.0
// What PyTorch computes in a dtype, the engine computes too: one call of every swept operator in every dtype that
// dtypes.txt (asked of PyTorch by make_dtype_table.py) lists for it.

#include <QtTest>

#include "core/base/file.h"
#include "core/base/strings.h"
#include "tests/ops/dtype_samples.h"

using namespace loupe;

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
            try {
                std::vector<IValue> results(std::max<std::size_t>(op->result_count(), 1));
                call_operator(*op, sample_in(*op, dtype), results.data());
            } catch (const Error& error) {
                missing += concat(dtype_name(dtype), ": ", error.message(), "; ");
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
