// SPDX-License-Identifier: GPL-3.0-or-later
// Files of an engine far away: how they are chosen, sent there and brought here.
#include <sys/stat.h>
#include <unistd.h>

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QMessageBox>
#include <QTemporaryDir>
#include <QTimer>
#include <QTreeView>
#include <fstream>
#include <random>

#include "tests/app/far_fixture.h"
#include "views/common/far_file_dialog.h"

using namespace loupe;
using views::EngineFiles;
using views::FarFileDialog;

namespace {

const QString kFilter = QStringLiteral("Models (*.pt);;All files (*)");

void fill(const QString& file, const char* bytes = "x") { std::ofstream(file.toStdString()) << bytes; }

// That does not compress.
void fillWithNoise(const QString& file, int count) {
    std::mt19937 random(7);
    std::string bytes;
    for (int i = 0; i < count; ++i) bytes += static_cast<char>(random());
    std::ofstream(file.toStdString(), std::ios::binary) << bytes;
}

QByteArray bytesOf(const QString& name) {
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("none");
}

QStringList names(const FarFileDialog& dialog) {
    const auto* rows = dialog.findChild<QTreeView*>(QStringLiteral("farRows"));
    QStringList all;
    for (int row = 0; row < rows->model()->rowCount(); ++row) all += rows->model()->index(row, 0).data().toString();
    return all;
}

void answerNext(QMessageBox::StandardButton button) {
    auto* timer = new QTimer;
    QObject::connect(timer, &QTimer::timeout, [timer, button] {
        auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
        if (box == nullptr) return;
        timer->deleteLater();
        box->button(button)->click();
    });
    timer->start(20);
}

}  // namespace

class FarFilesTest : public testing::FarFixture {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> dir_;
    QString root_;

    QLineEdit* edit(const FarFileDialog& dialog, const char* name) const {
        return dialog.findChild<QLineEdit*>(QLatin1String(name));
    }
    QString stateOf(const FarFileDialog& dialog) const {
        return dialog.findChild<QLabel*>(QStringLiteral("farState"))->text();
    }
    std::unique_ptr<FarFileDialog> dialogIn(const QString& folder,
                                            FarFileDialog::Mode mode = FarFileDialog::Mode::Open) {
        auto dialog = std::make_unique<FarFileDialog>(*EngineFiles::instance(), mode, QStringLiteral("Open"), folder,
                                                      kFilter, window_.get());
        dialog->show();
        return dialog;
    }
    static void type(QLineEdit* edit, const QString& text) {
        edit->setFocus();
        edit->clear();
        QTest::keyClicks(edit, text);
    }

  private slots:
    void initTestCase() { prepare(); }
    void init() {
        dir_ = std::make_unique<QTemporaryDir>();
        root_ = QFileInfo(dir_->path()).canonicalFilePath();
        QDir(root_).mkdir(QStringLiteral("sub"));
        for (const char* name : {"/a.pt", "/b.onnx", "/c.pt", "/.hidden.pt", "/sub/d.pt"})
            fill(root_ + QLatin1String(name));
    }
    void cleanup() { endFar(); }

    // --- choosing

    void foldersAndFilters() {
        makeFarWindow();
        const auto dialog = dialogIn(root_);
        QTRY_COMPARE(names(*dialog), QStringList({"sub/", "a.pt", "c.pt"}));
        auto* filter = dialog->findChild<QComboBox*>(QStringLiteral("farFilter"));
        filter->setCurrentIndex(1);
        QTRY_COMPARE(names(*dialog), QStringList({"sub/", "a.pt", "b.onnx", "c.pt"}));
        dialog->findChild<QCheckBox*>(QStringLiteral("farHidden"))->click();
        QTRY_COMPARE(names(*dialog), QStringList({"sub/", ".hidden.pt", "a.pt", "b.onnx", "c.pt"}));
        // Who types goes on typing.
        QTRY_VERIFY(testing::isActive(*dialog));
        QLineEdit* search = edit(*dialog, "farSearch");
        type(search, QStringLiteral("NN"));
        QTRY_COMPARE(names(*dialog), QStringList({"b.onnx"}));
        QVERIFY(search->hasFocus());
        QTest::keyClicks(search, QStringLiteral("X"));
        QTRY_COMPARE(search->text(), QStringLiteral("NNX"));
        QTest::keyClick(search, Qt::Key_Return);
        QVERIFY(dialog->isVisible());
        QVERIFY(dialog->findChild<QTreeView*>(QStringLiteral("farRows"))->hasFocus());
    }

    void enterGoesIntoAFolderAndUpComesBack() {
        makeFarWindow();
        const auto dialog = dialogIn(root_);
        QTRY_COMPARE(names(*dialog).size(), 3);
        QTRY_VERIFY(testing::isActive(*dialog));
        auto* rows = dialog->findChild<QTreeView*>(QStringLiteral("farRows"));
        rows->setFocus();
        rows->setCurrentIndex(rows->model()->index(0, 0));
        QTest::keyClick(rows, Qt::Key_Return);
        QTRY_COMPARE(names(*dialog), QStringList({"d.pt"}));
        QVERIFY(dialog->isVisible());
        QCOMPARE(edit(*dialog, "farPath")->text(), root_ + QStringLiteral("/sub"));
        QTest::mouseClick(dialog->findChild<QPushButton*>(QStringLiteral("farUp")), Qt::LeftButton);
        QTRY_COMPARE(names(*dialog).size(), 3);
        rows->setCurrentIndex(rows->model()->index(1, 0));
        rows->setFocus();
        QTest::keyClick(rows, Qt::Key_Return);
        QVERIFY(!dialog->isVisible());
        QCOMPARE(dialog->chosen(), root_ + QStringLiteral("/a.pt"));
    }

    void aTypedPathIsGoneTo() {
        makeFarWindow();
        const auto dialog = dialogIn(root_);
        QTRY_COMPARE(names(*dialog).size(), 3);
        QTRY_VERIFY(testing::isActive(*dialog));
        // One that was selected before is not what is meant.
        auto* rows = dialog->findChild<QTreeView*>(QStringLiteral("farRows"));
        rows->setCurrentIndex(rows->model()->index(1, 0));
        QLineEdit* path = edit(*dialog, "farPath");
        type(path, root_ + QStringLiteral("/nowhere"));
        QTest::keyClick(path, Qt::Key_Return);
        QTRY_COMPARE(stateOf(*dialog), root_ + QStringLiteral("/nowhere: No such file or directory"));
        QVERIFY(dialog->isVisible());
        QCOMPARE(names(*dialog).size(), 3);
        type(path, QStringLiteral("sub"));
        QTest::keyClick(path, Qt::Key_Return);
        QTRY_COMPARE(names(*dialog), QStringList({"d.pt"}));
        QVERIFY(dialog->isVisible());
        type(path, root_ + QStringLiteral("/b.onnx"));
        QTest::keyClick(path, Qt::Key_Return);
        QTRY_VERIFY(!dialog->isVisible());
        QCOMPARE(dialog->chosen(), root_ + QStringLiteral("/b.onnx"));
    }

    void aFolderThatMayNotBeReadSaysSo() {
        if (::geteuid() == 0) QSKIP("root may read all");
        makeFarWindow();
        ::chmod((root_ + QStringLiteral("/sub")).toLocal8Bit().constData(), 0);
        const auto dialog = dialogIn(root_);
        QTRY_COMPARE(names(*dialog).size(), 3);
        QLineEdit* path = edit(*dialog, "farPath");
        type(path, QStringLiteral("sub"));
        QTest::keyClick(path, Qt::Key_Return);
        QTRY_VERIFY2(stateOf(*dialog).contains(QStringLiteral("Permission denied")), qPrintable(stateOf(*dialog)));
        QTest::mouseClick(dialog->findChild<QPushButton*>(QStringLiteral("farUp")), Qt::LeftButton);
        QTRY_COMPARE(names(*dialog).size(), 3);
        ::chmod((root_ + QStringLiteral("/sub")).toLocal8Bit().constData(), 0700);
    }

    void aBigFolderComesAsFarAsItIsLookedAt() {
        constexpr int kMany = 3000;
        for (int i = 0; i < kMany; ++i) fill(QStringLiteral("%1/sub/%2.pt").arg(root_).arg(10'000 + i));
        makeFarWindow();
        const auto dialog = dialogIn(root_ + QStringLiteral("/sub"));
        auto* rows = dialog->findChild<QTreeView*>(QStringLiteral("farRows"));
        QTRY_COMPARE(rows->model()->rowCount(), kMany + 1);
        const auto name = [&](int row) { return rows->model()->index(row, 0).data().toString(); };
        QCOMPARE(name(0), QStringLiteral("10000.pt"));
        // Passed by quickly, and back.
        for (int row = 0; row <= kMany; row += 250) {
            rows->scrollTo(rows->model()->index(row, 0));
            QCoreApplication::processEvents();
        }
        rows->scrollToBottom();
        QTRY_COMPARE(name(kMany), QStringLiteral("d.pt"));
        rows->scrollTo(rows->model()->index(1100, 0));
        QTRY_COMPARE(name(1100), QStringLiteral("11100.pt"));
    }

    void savingAsksBeforeItReplaces() {
        makeFarWindow();
        const auto dialog = dialogIn(root_ + QStringLiteral("/new.pt"), FarFileDialog::Mode::Save);
        QTRY_COMPARE(names(*dialog).size(), 4);
        QTRY_VERIFY(testing::isActive(*dialog));
        QCOMPARE(edit(*dialog, "farName")->text(), QStringLiteral("new.pt"));
        QLineEdit* path = edit(*dialog, "farPath");
        type(path, QStringLiteral("sub"));
        QTest::keyClick(path, Qt::Key_Return);
        QTRY_COMPARE(names(*dialog), QStringList({"d.pt"}));
        QVERIFY(dialog->isVisible());
        QLineEdit* name = edit(*dialog, "farName");
        type(name, QStringLiteral("d.pt"));
        answerNext(QMessageBox::No);
        QTest::keyClick(name, Qt::Key_Return);
        QTRY_VERIFY(QApplication::activeModalWidget() == nullptr || dialog->isVisible());
        QTest::qWait(200);
        QVERIFY(dialog->isVisible());
        answerNext(QMessageBox::Yes);
        QTest::keyClick(name, Qt::Key_Return);
        QTRY_VERIFY(!dialog->isVisible());
        QCOMPARE(dialog->chosen(), root_ + QStringLiteral("/sub/d.pt"));
    }

    void itSaysThatTheConnectionIsLost() {
        makeFarWindow();
        const auto dialog = dialogIn(root_);
        QTRY_COMPARE(names(*dialog).size(), 3);
        far_->script("exit 255");
        far_->drop();
        QTRY_COMPARE(place_->state().kind, Kind::Lost);
        QTest::mouseClick(dialog->findChild<QPushButton*>(QStringLiteral("farUp")), Qt::LeftButton);
        QTRY_VERIFY2(stateOf(*dialog).contains(QStringLiteral("The connection is lost")), qPrintable(stateOf(*dialog)));
        far_->script(far_->engine_lines());
        place_->reconnect_now();
        QTRY_VERIFY(edit(*dialog, "farPath")->text() == QFileInfo(root_).path());
    }

    // --- copies

    void aDroppedFileIsSentAndOpened() {
        makeFarWindow();
        const QString here = root_ + QStringLiteral("/dropped.pt");
        QFile::copy(testing::model("digits"), here);
        window_->takeFile(here);
        QTRY_VERIFY(says(QStringLiteral("dropped.pt is on this machine")));
        QTest::mouseClick(link(QStringLiteral("Send it there")), Qt::LeftButton);
        QTRY_VERIFY(window_->bridge().model() != nullptr);
        QCOMPARE(QString::fromStdString(window_->bridge().model()->path), own("dropped.pt"));
        QTRY_VERIFY(!banner().isVisible());
    }

    void sendingShowsHowFarAndCanBeCancelled() {
        makeFarWindow({LOUPE_BINARY_DIR "/tests/loupe_slow_link", "10", "1000000"});
        const QString here = root_ + QStringLiteral("/noise.pt");
        fillWithNoise(here, 6'000'000);
        window_->takeFile(here);
        QTest::mouseClick(link(QStringLiteral("Send it there")), Qt::LeftButton);
        QTRY_VERIFY(says(QStringLiteral("Sending noise.pt to far")));
        const QPointer<QPushButton> cancel = link(QStringLiteral("Cancel"));
        const QString first = banner().message();
        QTRY_VERIFY(banner().message() != first);
        QVERIFY(cancel != nullptr);  // the same one
        QTest::mouseClick(cancel, Qt::LeftButton);
        QTRY_VERIFY(!banner().isVisible());
        bool isGone = false;
        QTRY_VERIFY([&] {
            EngineFiles::look(own("noise.pt"), this, [&](const session::FileFacts& facts) { isGone = !facts.exists; });
            QTest::qWait(50);
            return isGone;
        }());
        QVERIFY(!window_->bridge().model());
    }

    void whatCannotBeSentIsSaid() {
        makeFarWindow();
        std::filesystem::remove_all(EngineFiles::ownFolder().toStdString());
        window_->takeFile(root_ + QStringLiteral("/a.pt"));
        QTest::mouseClick(link(QStringLiteral("Send it there")), Qt::LeftButton);
        QTRY_VERIFY2(says(QStringLiteral("a.pt was not sent: ")), qPrintable(banner().message()));
        QVERIFY(banner().isError());
        std::filesystem::create_directory(EngineFiles::ownFolder().toStdString());
        QTest::mouseClick(link(QStringLiteral("Try again")), Qt::LeftButton);
        QTRY_COMPARE(bytesOf(own("a.pt")), QByteArray("x"));
    }

    void aFileIsBroughtAndRemovedThere() {
        makeFarWindow();
        const QString there = own("save-1-x.pt");
        fillWithNoise(there, 700'000);
        const QByteArray bytes = bytesOf(there);
        QString error = QStringLiteral("none yet");
        EngineFiles::instance()->bring(there, root_ + QStringLiteral("/x.pt"), this,
                                       [&](const QString& said) { error = said; });
        QTRY_COMPARE(error, QString());
        QCOMPARE(bytesOf(root_ + QStringLiteral("/x.pt")), bytes);
        QTRY_VERIFY(!QFile::exists(there));
    }

    void bringingCanBeCancelledAndFail() {
        makeFarWindow({LOUPE_BINARY_DIR "/tests/loupe_slow_link", "10", "1000000"});
        const QString there = own("save-1-x.pt");
        fillWithNoise(there, 6'000'000);
        const QStringList before = QDir(root_).entryList(QDir::AllEntries | QDir::Hidden);
        EngineFiles::instance()->bring(there, root_ + QStringLiteral("/x.pt"), this, [](const QString&) {});
        QTRY_VERIFY(says(QStringLiteral("Bringing x.pt from far")));
        QTest::mouseClick(link(QStringLiteral("Cancel")), Qt::LeftButton);
        QTRY_VERIFY(!banner().isVisible());
        QTRY_VERIFY(!QFile::exists(there));
        QTRY_COMPARE(QDir(root_).entryList(QDir::AllEntries | QDir::Hidden), before);
        QString error;
        EngineFiles::instance()->bring(there, root_ + QStringLiteral("/no/x.pt"), this,
                                       [&](const QString& said) { error = said; });
        QTRY_VERIFY(!error.isEmpty());
    }
};

QTEST_MAIN(FarFilesTest)
#include "far_files_test.moc"
