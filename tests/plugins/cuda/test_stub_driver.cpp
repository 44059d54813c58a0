// SPDX-License-Identifier: Apache-2.0
// The plugin as it is shipped, with a driver that cannot be used: CUDA's own runtime finds it as it finds NVIDIA's.

#include <cuda_runtime_api.h>

#include <QProcess>
#include <QtTest>

class TestStubDriver : public QObject {
    Q_OBJECT

  private slots:
    void theListOfPluginsSaysWhy_data() {
        QTest::addColumn<QString>("driver");
        QTest::addColumn<QString>("status");
        QTest::addColumn<QString>("reason");
        QTest::newRow("old") << "11080"
                             << "0"
                             << QString("the NVIDIA driver is too old: it knows CUDA 11.8, the plugin needs %1.%2")
                                    .arg(CUDART_VERSION / 1000)
                                    .arg(CUDART_VERSION % 1000 / 10);
        QTest::newRow("no device") << QString::number(CUDART_VERSION) << "100"
                                   << "no CUDA device is in this machine, or none is visible to it";
    }
    void theListOfPluginsSaysWhy() {
        QFETCH(QString, driver);
        QFETCH(QString, status);
        QFETCH(QString, reason);
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("LD_LIBRARY_PATH",
                           LOUPE_BINARY_DIR "/lib/stub_driver:" + environment.value("LD_LIBRARY_PATH"));
        environment.insert("LOUPE_STUB_DRIVER", driver);
        environment.insert("LOUPE_STUB_STATUS", status);
        QProcess list;
        list.setProcessEnvironment(environment);
        list.start(LOUPE_BINARY_DIR "/bin/tensorloupe-cli", {"plugins"});
        QVERIFY(list.waitForFinished(60000));
        const QString text = QString::fromUtf8(list.readAllStandardOutput());
        QVERIFY2(text.contains(reason), qPrintable(text));
    }
};

QTEST_GUILESS_MAIN(TestStubDriver)
#include "test_stub_driver.moc"
