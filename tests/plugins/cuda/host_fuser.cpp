// SPDX-License-Identifier: Apache-2.0
#include "tests/plugins/cuda/host_fuser.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/runtime/fuse/fuser_backends.h"
#include "plugins/cuda/fuser/formulas.h"

namespace loupe::test {
namespace {

using runtime::DeviceFusedKernel;
using runtime::FusedExpression;
using runtime::FusedKernelText;
using runtime::FusedSpace;

class HostKernel final : public DeviceFusedKernel {
  public:
    explicit HostKernel(const FusedExpression& expression) : expression_(expression) {}

    void launch(const FusedSpace& space, std::span<std::byte* const> arrays, Device device) const override {
        HostFuser& fuser = HostFuser::instance();
        std::vector<std::byte*> seen(arrays.begin(), arrays.end());
        for (std::size_t a = 0; a < seen.size() && !device.is_cpu(); ++a) {
            if (!space.is_on_host[a]) seen[a] = static_cast<std::byte*>(fuser.device_view(seen[a]));
        }
        fuser.launch(expression_, space, std::move(seen));
    }
    FusedKernelText text() const override { return {"cuda", expression_.str(), {}, {}, {}, 0, false}; }

  private:
    FusedExpression expression_;
};

Ptr<const DeviceFusedKernel> compile(const FusedExpression& expression, const FusedSpace& space, Device,
                                     std::string* why) {
    std::string reason = cuda::refusal(expression);
    if (!reason.empty()) {
        *why = std::move(reason);
        return nullptr;
    }
    cuda::make_source(expression, space, true);  // what it throws is the reason
    return make_ptr<HostKernel>(expression);
}

std::string contents(const std::filesystem::path& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::string host_compiler() {
    const char* const given = std::getenv("CXX");
    const std::string command = given != nullptr ? given : "c++";
    return std::system(concat("command -v ", command, " >/dev/null 2>&1").c_str()) == 0 ? command : "";
}

HostFuser& HostFuser::instance() {
    static HostFuser fuser;
    return fuser;
}

void HostFuser::add_fusers() {
    runtime::add_fuser({kOnHost, nullptr, DeviceType::Cpu, &compile});
    runtime::add_fuser({kOnDevice, nullptr, DeviceType::PrivateUse1, &compile});
}

std::string HostFuser::build(const std::string& folder) {
    const std::string file = concat(folder, "/kernels", sources_.size());
    std::string all = "#include \"plugins/cuda/fuser/device/fused.h\"\n";
    numbers_.clear();
    for (const auto& [text, source] : sources_) {
        const std::size_t number = numbers_.size();
        numbers_[text] = number;
        std::vector<std::string> functions{"fused_loop"};
        for (const auto& sum : source.sums) functions.push_back(concat("add_sums", sum.array));
        for (const std::string& function : functions)
            all += concat("#define ", function, " ", function, "_", number, "\n");
        all += text;
        for (const std::string& function : functions) {
            all +=
                concat("#undef ", function, "\nextern \"C\" void run_", function, "_", number,
                       "(const std::int64_t* words, unsigned blocks, unsigned threads, unsigned lanes) {\n    emulate(",
                       function, "_", number, ", words, blocks, threads, lanes);\n}\n");
        }
    }
    std::ofstream(file + ".cpp") << all;
    const std::string command =
        concat(host_compiler(), " -std=c++17 -O1 -ffp-contract=off -shared -fPIC -w -I", LOUPE_SOURCE_DIR, " -include ",
               LOUPE_SOURCE_DIR, "/tests/plugins/cuda/emulated_threads.h ", file, ".cpp -o ", file, ".so > ", file,
               ".log 2>&1");
    if (std::system(command.c_str()) != 0) return contents(file + ".log").substr(0, 4000);
    library_ = dlopen((file + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    return library_ == nullptr ? dlerror() : "";
}

void HostFuser::launch(const FusedExpression& expression, const FusedSpace& space, std::vector<std::byte*> arrays) {
    const FusedSpace whole = cuda::with_dims(space, expression.is_of_rows());
    cuda::FusedSource source = cuda::make_source(expression, whole, true);
    if (!cuda::fits_width(source, whole, arrays)) source = cuda::make_source(expression, whole, false);
    sources_.try_emplace(source.text, source);
    const auto found = numbers_.find(source.text);
    if (found == numbers_.end()) return;  // it is only asked for
    std::vector<std::byte> scratch(cuda::scratch_bytes(source, whole) + 256, std::byte{0xFF});
    std::byte* const aligned = scratch.data() + (256 - reinterpret_cast<std::uintptr_t>(scratch.data()) % 256) % 256;
    for (const cuda::FusedLaunch& launch : cuda::launches_of(source, whole, arrays, aligned)) {
        using Run = void (*)(const std::int64_t*, unsigned, unsigned, unsigned);
        const std::string name = concat("run_", launch.function, "_", found->second);
        const auto run = reinterpret_cast<Run>(dlsym(library_, name.c_str()));
        if (run == nullptr) throw Error(ErrorKind::Internal, "no " + name);
        run(launch.words.data(), launch.blocks, launch.threads, launch.lanes);
    }
}

}  // namespace loupe::test
