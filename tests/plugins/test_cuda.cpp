// SPDX-License-Identifier: Apache-2.0
// The plugin for NVIDIA GPUs on a machine that may have none: it works, or says why not and changes nothing.

#include <dlfcn.h>

#include <QFile>
#include <QtTest>
#include <filesystem>
#include <set>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/registry.h"
#include "core/plugin/plugin_loader.h"
#include "core/tensor/device_interface.h"
#include "plugins/cuda/libraries.h"

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

    // What NVIDIA's libraries take of the operators that have no kernel of ours (fallbacks.txt, without_loops.txt): as
    // listed in by_libraries.txt. Registering asks no device.
    void operatorsOfLibraries() {
        static std::set<std::string> found;
        PluginRegistries registries;
        registries.add_kernel = [](std::string_view name, DeviceType, KernelCandidate candidate) {
            if (find_operator(name) == nullptr) throw Error(ErrorKind::Plugin, std::string(name));
            found.insert(concat(name, ": ", candidate.backend));
        };
        registries.add_device_transport = [](distributed::DeviceTransport&) {};
        for (const char* name : {"libraries", "solvers"}) {
            void* const library =
                dlopen(concat(LOUPE_BINARY_DIR "/lib/cuda/loupe_cuda_", name, ".so").c_str(), RTLD_NOW);
            if (library == nullptr) QSKIP(dlerror());  // a machine that lacks NVIDIA's
            const auto entry = reinterpret_cast<LoupeCudaRegister>(dlsym(library, kLoupeCudaRegister));
            QVERIFY(entry != nullptr);
            entry(registries);
        }
        QFile file(LOUPE_SOURCE_DIR "/tests/plugins/cuda/by_libraries.txt");
        QVERIFY(file.open(QIODevice::ReadOnly));
        std::set<std::string> known;
        for (const QByteArray& line : file.readAll().split('\n')) {
            if (!line.isEmpty() && !line.startsWith('#')) known.insert(line.toStdString());
        }
        for (const std::string& name : found)
            QVERIFY2(known.contains(name), concat(name, " is not in by_libraries.txt").c_str());
        for (const std::string& name : known)
            QVERIFY2(found.contains(name), concat(name, " is listed and not registered").c_str());
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
