// SPDX-License-Identifier: Apache-2.0
// Studies on the command line: what is printed and written, and what is refused. Numbers are compared in test_studies.

#include <QFileInfo>
#include <QTemporaryDir>
#include <QtTest>

#include "core/formats/image/image.h"
#include "core/formats/numpy/npy.h"
#include "tests/cli/run_program.h"

namespace {

const QString kPictures = LOUPE_SOURCE_DIR "/tests/fixtures/studies/pictures.pt";
const QString kLlama = LOUPE_SOURCE_DIR "/tests/fixtures/generation/llama";

class TestStudy : public QObject {
    Q_OBJECT
  private slots:
    void lists_what_fits();
    void writes_numbers_and_pictures();
    void prints_words_by_layer();
    void refuses_with_one_line_data();
    void refuses_with_one_line();
};

void TestStudy::lists_what_fits() {
    const Outcome outcome = run_cli({"study", "list", kPictures});
    QCOMPARE(outcome.status, 0);
    const QStringList lines = outcome.out.split('\n');
    QCOMPARE(lines.filter(QRegularExpression("^[a-z-]+: ")).size(), 7);  // "example.filters" has a dot
    QCOMPARE(lines.filter("does not fit: ").size(), 2);
    QVERIFY(outcome.out.contains("    steps=50: "));
    QVERIFY(outcome.out.contains("in the window: the panel attention"));
}

void TestStudy::writes_numbers_and_pictures() {
    const QTemporaryDir folder;
    const QString numbers = folder.filePath("cam.npz"), picture = folder.filePath("cam.png");
    const Outcome outcome = run_cli({"study", "grad-cam", kPictures, "--outputs", numbers, "--picture", picture});
    QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
    QVERIFY2(outcome.out.startsWith("Grad-CAM of out[0, "), qPrintable(outcome.out));
    QCOMPARE(loupe::read_npz(numbers.toStdString()).size(), 2u);
    const loupe::Tensor image = loupe::read_image(picture.toStdString());
    QVERIFY(image.size(1) == 3 && image.size(2) >= 224 && image.size(2) * 24 == image.size(3) * 20);
    const QString tiles = folder.filePath("maps.png");
    QCOMPARE(run_cli({"study", "feature-maps", kPictures, "--picture", tiles}).status, 0);
    QVERIFY(QFileInfo(tiles).size() > 1000);
    // Another target is another map.
    const auto map_of = [&](const QStringList& more) {
        run_cli(QStringList{"study", "saliency", kPictures, "--outputs", numbers} + more);
        const loupe::Tensor map = loupe::read_npz(numbers.toStdString()).front().second;
        return std::vector<float>(map.data<float>(), map.data<float>() + map.numel());
    };
    QVERIFY(map_of({"--option", "target=0"}) != map_of({"--option", "target=1"}));
}

void TestStudy::prints_words_by_layer() {
    const Outcome outcome = run_cli({"study", "logit-lens", kLlama, "--text", "The quick brown fox", "--top", "2"});
    QVERIFY2(outcome.status == 0, qPrintable(outcome.err));
    const QStringList lines = outcome.out.split('\n');
    QCOMPARE(lines.filter(QRegularExpression("^place \\d+, '")).size(), 12);
    QCOMPARE(lines.filter("model.layers.1").filter(" %, ").size(), 12);
    const Outcome parts = run_cli({"study", "integrated-gradients", kLlama, "--text", "The quick brown fox"});
    QVERIFY2(parts.out.contains("Completeness: sum "), qPrintable(parts.out));
    QVERIFY(parts.out.contains("' The'"));
}

void TestStudy::refuses_with_one_line_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const QStringList& arguments, int status, const char* says) {
        QTest::newRow(name) << QStringList{"study"} + arguments << status << QString(says);
    };
    row("no study", {"divination", kPictures}, 2, "no study \"divination\"; there are saliency, ");
    row("does not fit", {"logit-lens", kPictures}, 2, "Logit lens: the model takes no tokens");
    row("no option", {"saliency", kPictures, "--option", "colour=red"}, 2, "no option \"colour\"");
    row("no value", {"saliency", kPictures, "--option", "target"}, 2, "an option is NAME=VALUE");
    row("no class", {"saliency", kPictures, "--option", "target=7"}, 2, "no element [0, 7]");
    row("no picture", {"pca", kPictures, "--picture", "plane.png"}, 2, "gives no picture for --picture");
    row("no folder", {"saliency", kPictures, "--picture", "/nowhere/map.png"}, 3, "/nowhere/map.png");
    row("no .png", {"saliency", kPictures, "--picture", "map.jpg"}, 2, "give it a name that ends in .png");
    row("no .npz", {"saliency", kPictures, "--outputs", "map.npy"}, 2, ".npz");
    row("in training", {"saliency", kPictures, "--mode", "train"}, 2, "studies run in eval mode");
    row("no file", {"saliency", "/nowhere.pt"}, 2, "/nowhere.pt");
}
void TestStudy::refuses_with_one_line() {
    QFETCH(QStringList, arguments);
    QFETCH(int, status);
    QFETCH(QString, says);
    const Outcome outcome = run_cli(arguments);
    QVERIFY2(outcome.status == status, qPrintable(QString::number(outcome.status) + ": " + outcome.err));
    QVERIFY2(is_one_line(outcome.err) && outcome.err.contains(says), qPrintable(outcome.err));
}

}  // namespace

QTEST_GUILESS_MAIN(TestStudy)
#include "test_study.moc"
