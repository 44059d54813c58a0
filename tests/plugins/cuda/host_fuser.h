// SPDX-License-Identifier: Apache-2.0
#pragma once
// The CUDA fuser's kernels on the host: the text that NVRTC gets is compiled by the system's C++ compiler, all kernels
// in one library, and fibers stand for a GPU's threads (emulated_threads.h). Groups are run twice for that: a first
// time to learn which kernels there are, a second time with them.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/runtime/fuse/fused_kernel.h"
#include "plugins/cuda/fuser/launch.h"

namespace loupe::test {

class HostFuser {
  public:
    static HostFuser& instance();

    // "cuda on the host", for tensors of the CPU; "cuda on a device", for those of the test device.
    static constexpr const char* kOnHost = "cuda on the host";
    static constexpr const char* kOnDevice = "cuda on a device";
    void add_fusers();
    // Where the host may read the device's memory: of an address of the device.
    void* (*device_view)(void* address) = nullptr;

    // Compiles the kernels that launches have asked for so far. "" or what the compiler says.
    std::string build(const std::string& folder);
    // The texts of all kernels.
    const std::map<std::string, cuda::FusedSource>& sources() const { return sources_; }

    void launch(const runtime::FusedExpression& expression, const runtime::FusedSpace& space,
                std::vector<std::byte*> arrays);

  private:
    std::map<std::string, cuda::FusedSource> sources_;  // by their text
    std::map<std::string, std::size_t> numbers_;        // of those that are built, in their library
    void* library_ = nullptr;
};

// Is there a C++ compiler? Its command: c++, or what CXX says.
std::string host_compiler();

}  // namespace loupe::test
