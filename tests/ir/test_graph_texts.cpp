// SPDX-License-Identifier: Apache-2.0
// Graphs as PyTorch 1.13 and 2.4 print them (fixtures/graph_texts.zip, written by make_graph_texts.py) are read, and
// printed as they were.
#include <QRegularExpression>
#include <QtTest>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/formats/archive/zip_reader.h"
#include "core/ir/graph.h"
#include "core/ir/parser.h"
#include "core/ir/printer.h"

using namespace loupe;

namespace {

// What a text does not say, or says in a way of its own: objects of C++, imaginary parts, tensors in other layouts, and
// the digits of bytes that are no ASCII.
QString without_unknown(QString text) {
    static const QRegularExpression unknown(
        R"(object\(0x[0-9a-f]+\)|[-+0-9. ji]*\[ CPUComplexFloatType\{2\} \]|MKLDNN Tensor:[^\]]*\])");
    text.replace(unknown, "<Tensor>");
    return text.replace(R"(\0)+\/.)\0-,\//0\/.-\\)", R"(\303\251\344\270\255\\)");
}

}  // namespace

class TestGraphTexts : public QObject {
    Q_OBJECT

  private slots:
    void printsWhatItParsed_data() {
        QTest::addColumn<QString>("text");
        const ZipReader archive(
            MappedFile::open(std::filesystem::path(LOUPE_SOURCE_DIR) / "tests/fixtures/graph_texts.zip"));
        for (const ZipEntry& entry : archive.entries()) {
            QTest::newRow(entry.name.c_str()) << QString::fromStdString(archive.read(entry, std::uint64_t{1} << 24));
        }
    }
    void printsWhatItParsed() {
        QFETCH(QString, text);
        while (text.endsWith("\n\n")) text.chop(1);
        try {
            const Ptr<ir::Graph> graph = ir::parse_graph(text.toStdString());
            graph->lint();
            const ir::PrintOptions options{.ranges = text.contains(" # "), .scopes = text.contains(", scope: ")};
            const QStringList ours = QString::fromStdString(ir::print_graph(*graph, options)).split('\n');
            const QStringList theirs = without_unknown(text).split('\n');
            for (qsizetype i = 0; i < std::max(ours.size(), theirs.size()); ++i)
                QCOMPARE(ours.value(i), theirs.value(i));
            // What is printed is read again.
            const Ptr<ir::Graph> again = ir::parse_graph(ours.join('\n').toStdString());
            QCOMPARE(QString::fromStdString(ir::print_graph(*again, options)), ours.join('\n'));
        } catch (const Error& error) {
            QFAIL(error.what());
        }
    }
};

QTEST_APPLESS_MAIN(TestGraphTexts)
#include "test_graph_texts.moc"
