// SPDX-License-Identifier: Apache-2.0
// The plugin for NVIDIA GPUs on a machine that may have none: it works, or says why not and changes nothing.

#include <QtTest>
#include <filesystem>

#include "core/base/error.h"
#include "core/dispatch/functions.h"
#include "core/plugin/plugin_loader.h"
#include "core/tensor/device_interface.h"

using namespace loupe;

namespace {
constexpr Device kGpu{DeviceType::Cuda, 0};
}

class TestCuda : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        // Alone: other plugins have nothing to do with it.
        const std::filesystem::path folder = std::filesystem::temp_directory_path() / "loupe_test_cuda";
        std::filesystem::create_directories(folder);
        std::filesystem::remove(folder / "loupe_cuda.so");
        std::filesystem::create_symlink(LOUPE_BINARY_DIR "/lib/plugins/loupe_cuda.so", folder / "loupe_cuda.so");
        const auto plugins = load_plugins_from(folder);
        std::filesystem::remove_all(folder);
        QCOMPARE(plugins.size(), std::size_t{1});
        status_ = plugins[0];
    }

    void itIsThereOrSaysWhyNot() {
        if (status_.loaded) {
            QVERIFY(device_interface(DeviceType::Cuda)->count() > 0);
            return;
        }
        QVERIFY2(status_.reason.find("driver") != std::string::npos ||
                     status_.reason.find("CUDA") != std::string::npos ||
                     status_.reason.find("lib") != std::string::npos,
                 status_.reason.c_str());
        QVERIFY(device_interface(DeviceType::Cuda) == nullptr);
    }

    void tensorsThereAreMadeOrRefused() {
        const std::int64_t size = 3;
        if (status_.loaded) {
            const Tensor t = empty(IntSpan(&size, 1), ScalarType::Float32, kGpu);
            fn::fill_(t, Scalar(1.5));
            QCOMPARE(item(fn::sum(t)).to<double>(), 4.5);
        } else {
            QVERIFY_THROWS_EXCEPTION(Error, empty(IntSpan(&size, 1), ScalarType::Float32, kGpu));
        }
        QCOMPARE(item(fn::sum(fn::add(zeros(IntSpan(&size, 1)), scalar_tensor(1, ScalarType::Float32), Scalar(1))))
                     .to<double>(),
                 3.0);
    }

  private:
    PluginStatus status_;
};

QTEST_GUILESS_MAIN(TestCuda)
#include "test_cuda.moc"
