// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/fuser/code.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/base/strings.h"
#include "core/runtime/fuse/kernel_files.h"
#include "plugins/cuda/fuser/source.h"

namespace loupe::cuda {
namespace {

// Each part behind its length.
std::string packed(const CompiledCode& code) {
    std::string bytes;
    for (const std::string* part : {&code.ptx, &code.cubin, &code.log}) {
        const std::uint64_t size = part->size();
        bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
        bytes += *part;
    }
    return bytes;
}
std::optional<CompiledCode> unpacked(std::string_view bytes) {
    CompiledCode code;
    for (std::string* part : {&code.ptx, &code.cubin, &code.log}) {
        std::uint64_t size = 0;
        if (bytes.size() < sizeof size) return std::nullopt;
        std::memcpy(&size, bytes.data(), sizeof size);
        bytes.remove_prefix(sizeof size);
        if (size > bytes.size()) return std::nullopt;
        *part = bytes.substr(0, size);
        bytes.remove_prefix(size);
    }
    return code;
}

// The number before `what`: "Used 32 registers" before " registers".
int number_before(std::string_view text, std::string_view what) {
    const std::size_t end = text.find(what);
    if (end == std::string_view::npos) return 0;
    std::size_t begin = end;
    while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
    int number = 0;
    std::from_chars(text.data() + begin, text.data() + end, number);
    return number;
}

struct Processor {
    int threads = 0, blocks = 0, shared = 0;
};
// The CUDA programming guide's table of compute capabilities.
Processor processor_of(int architecture) {
    constexpr int kKilo = 1024;
    switch (architecture) {
        case 75:
            return {1024, 16, 64 * kKilo};
        case 80:
            return {2048, 32, 164 * kKilo};
        case 86:
        case 89:
            return {1536, architecture == 86 ? 16 : 24, 100 * kKilo};
        case 87:
            return {1536, 16, 164 * kKilo};
        case 90:
        case 100:
        case 103:
            return {2048, 32, 228 * kKilo};
        case 110:
        case 120:
        case 121:
            return {1536, 24, 100 * kKilo};
        default:
            return {};
    }
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}
std::string_view trimmed(std::string_view line) {
    const std::size_t begin = line.find_first_not_of(" \t");
    return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

// The numbers behind a word: ".loc 1 12 3" has 1 and 12.
std::pair<int, int> two_numbers(std::string_view text) {
    int numbers[2] = {0, 0};
    for (int& number : numbers) {
        text = trimmed(text);
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc()) return {0, 0};
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
    return {numbers[0], numbers[1]};
}

// Of a .loc: the line of the source itself that it is of, or from where it was called; 0: of neither.
int source_line(std::string_view location, int source) {
    constexpr std::string_view kLocation = ".loc", kInlined = "inlined_at";
    const auto [file, line] = two_numbers(location.substr(kLocation.size()));
    if (file == source) return line;
    const std::size_t at = location.find(kInlined);
    if (at == std::string_view::npos) return 0;
    const auto [caller, called] = two_numbers(location.substr(at + kInlined.size()));
    return caller == source ? called : 0;
}

int file_number(const std::vector<std::string_view>& lines) {
    for (const std::string_view line : lines) {
        constexpr std::string_view kFile = ".file";
        const std::string_view words = trimmed(line);
        if (!words.starts_with(kFile) || words.find("fused.cu\"") == std::string_view::npos) continue;
        int number = 0;
        const std::string_view rest = trimmed(words.substr(kFile.size()));
        std::from_chars(rest.data(), rest.data() + rest.size(), number);
        return number;
    }
    return 1;
}

}  // namespace

CompiledCode compiled_code(const std::string& text, int architecture, bool* from_disk) {
    const std::string key = concat("CUDA ", kSourceVersion, " ", compiler_key(architecture), "\n", text);
    if (const std::optional<std::string> kept = runtime::read_kernel_file(key)) {
        if (std::optional<CompiledCode> code = unpacked(*kept)) {
            if (from_disk != nullptr) *from_disk = true;
            return std::move(*code);
        }
    }
    CompiledCode code = compile_source(text, architecture);
    runtime::write_kernel_file(key, packed(code));
    return code;
}

KernelResources resources_in(const std::string& log, const std::string& function) {
    std::size_t begin = log.find("'" + function + "'");
    if (begin == std::string::npos) return {};
    const std::size_t end = log.find("Compiling entry function", begin);
    const std::string_view text = std::string_view(log).substr(begin, end == std::string::npos ? end : end - begin);
    return {number_before(text, " registers"), number_before(text, " bytes smem"),
            number_before(text, " bytes spill stores")};
}

int threads_of_processor(int architecture) { return processor_of(architecture).threads; }

int blocks_at_once(int architecture, const KernelResources& resources, int threads) {
    constexpr int kRegisters = 65536, kUnit = 256, kWarp = 32, kReserved = 1024;  // of shared memory a block, since 80
    const Processor processor = processor_of(architecture);
    if (processor.threads == 0 || threads == 0) return 0;
    const int warps = (threads + kWarp - 1) / kWarp;
    int blocks = std::min(processor.blocks, processor.threads / (warps * kWarp));
    if (resources.registers > 0) {
        const int of_warp = (resources.registers * kWarp + kUnit - 1) / kUnit * kUnit;
        blocks = std::min(blocks, kRegisters / of_warp / warps);
    }
    const int shared = resources.shared + (architecture >= 80 ? kReserved : 0);
    if (resources.shared > 0) blocks = std::min(blocks, processor.shared / shared);
    return blocks;
}

std::string resources_text(int architecture, const KernelResources& resources, int threads, int blocks) {
    std::string text = concat("sm_", architecture, ": ", resources.registers, " registers a thread");
    if (resources.spilled > 0) text += concat(", ", resources.spilled, " bytes spilled");
    if (resources.shared > 0) text += concat(", ", resources.shared, " bytes of shared memory a block");
    const int most = threads_of_processor(architecture);
    if (blocks == 0 || most == 0) return text;
    return concat(text, "; ", blocks, " blocks of ", threads, " threads at once: ", 100 * blocks * threads / most,
                  " % of a processor");
}

PtxListing list_ptx(const std::string& ptx, const std::vector<int>& line_of) {
    const std::vector<std::string_view> lines = lines_of(ptx);
    const int source = file_number(lines);
    PtxListing listing;
    int line = 0;
    bool is_debug = false;
    for (const std::string_view each : lines) {
        const std::string_view words = trimmed(each);
        if (words.starts_with(".section")) is_debug = true;
        const bool is_line = words.starts_with(".loc\t") || words.starts_with(".loc ");  // .local is memory
        if (is_line) line = source_line(words, source);
        const bool is_of_debug = is_debug || is_line || words.starts_with(".file") || words.starts_with("$L__tmp") ||
                                 words.starts_with("$L__func") || words.starts_with("// begin inline") ||
                                 words.starts_with("// end inline");
        if (is_debug && words == "}") is_debug = false;
        if (is_of_debug) continue;
        const bool is_instruction = words.size() != each.size() && !words.starts_with('.') && !words.empty();
        const bool is_known = is_instruction && line > 0 && static_cast<std::size_t>(line) <= line_of.size();
        listing.text.append(each);
        listing.text += '\n';
        listing.line_of.push_back(is_known ? line_of[static_cast<std::size_t>(line - 1)] : -1);
    }
    return listing;
}

}  // namespace loupe::cuda
