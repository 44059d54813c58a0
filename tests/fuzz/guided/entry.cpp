// SPDX-License-Identifier: Apache-2.0
// What libFuzzer calls.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "tests/fuzz/guided/guided.h"
#include "tests/fuzz/guided/own_folder.h"
#include "tests/fuzz/guided/seeds.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using namespace loupe;

// What is found is written to the folder in LOUPE_FOUND, which libFuzzer's options name too.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
    if (fuzz::wrote_seeds(*argc, *argv)) std::exit(0);
    const char* found = std::getenv("LOUPE_FOUND");
    static fuzz::OwnFolder folder(found == nullptr ? std::filesystem::path() : std::filesystem::path(found));
    std::signal(SIGPIPE, SIG_IGN);
    fuzz::begin();
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (!fuzz::try_input({data, size})) std::abort();
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    const auto change_bytes = [&](const std::string& bytes) {
        std::string changed = bytes;
        changed.resize(std::min(most, bytes.size() + 64));
        auto* at = reinterpret_cast<std::uint8_t*>(changed.data());
        changed.resize(LLVMFuzzerMutate(at, std::min(bytes.size(), changed.size()), changed.size()));
        return changed;
    };
    const std::string changed = fuzz::change({reinterpret_cast<const char*>(data), size}, seed, change_bytes);
    const std::size_t kept = std::min(most, changed.size());
    std::memcpy(data, changed.data(), kept);
    return kept;
}

}  // namespace
