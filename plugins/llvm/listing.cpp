// SPDX-License-Identifier: Apache-2.0
#include "plugins/llvm/listing.h"

#include <llvm/IR/AssemblyAnnotationWriter.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/FormattedStream.h>

#include <cctype>
#include <charconv>
#include <string_view>
#include <utility>

namespace loupe::llvm_fuser {
namespace {

constexpr std::string_view kMark = "\x01";

// A line before each instruction, to find its own in the text.
class Marks final : public llvm::AssemblyAnnotationWriter {
  public:
    void emitInstructionAnnot(const llvm::Instruction*, llvm::formatted_raw_ostream& out) override {
        out << llvm::StringRef(kMark.data(), kMark.size()) << "\n";
    }
};

// Visit(line), without its end.
template <typename Visit>
void for_lines(std::string_view text, const Visit& visit) {
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        visit(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
}

void add(Listing& listing, std::string_view line, int line_of) {
    listing.text.append(line);
    listing.text += '\n';
    listing.line_of.push_back(line_of);
}

// ".loc 1 7 0 is_stmt 0": 6.
int line_of_location(std::string_view location) {
    const auto skip_blanks = [&] {
        while (!location.empty() && (location.front() == ' ' || location.front() == '\t')) location.remove_prefix(1);
    };
    const auto number = [&] {
        skip_blanks();
        int value = 0;
        const auto [end, error] = std::from_chars(location.data(), location.data() + location.size(), value);
        location.remove_prefix(static_cast<std::size_t>(end - location.data()));
        return error == std::errc() ? value : 0;
    };
    location.remove_prefix(std::string_view(".loc").size());
    number();  // the file
    return number() - 1;
}

std::string_view without_indent(std::string_view line) {
    const std::size_t begin = line.find_first_not_of(" \t");
    return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

// What debug information adds: labels, the file, where frames are described.
bool is_of_debug(std::string_view words) {
    if (words.starts_with(".Ltmp") || words.starts_with(".Lfunc_begin")) return words.ends_with(':');
    if (words.starts_with(".cfi_sections")) return true;
    return words.starts_with(".file") && words.find_first_of("0123456789") == 6;
}

}  // namespace

Listing list_ir(llvm::Module& module) {
    std::vector<int> lines;
    for (const llvm::Function& function : module) {
        for (const llvm::BasicBlock& block : function) {
            for (const llvm::Instruction& instruction : block) {
                const llvm::DebugLoc& location = instruction.getDebugLoc();
                lines.push_back(location ? static_cast<int>(location.getLine()) - 1 : -1);
            }
        }
    }
    llvm::StripDebugInfo(module);
    std::string text;
    llvm::raw_string_ostream out(text);
    Marks marks;
    module.print(out, &marks);
    out.flush();
    Listing listing;
    std::size_t next = 0;
    int line_of = -1;
    for_lines(text, [&](std::string_view line) {
        if (line == kMark) {
            line_of = next < lines.size() ? lines[next++] : -1;
            return;
        }
        add(listing, line, std::exchange(line_of, -1));
    });
    return listing;
}

Listing list_assembly(const std::string& assembly) {
    Listing listing;
    int line_of = -1;
    bool is_debug = false;  // a section of debug information
    for_lines(assembly, [&](std::string_view line) {
        const std::string_view words = without_indent(line);
        if (words.starts_with(".section")) is_debug = words.find(".debug_") != std::string_view::npos;
        if (words.starts_with(".loc")) {
            line_of = line_of_location(words);
            return;
        }
        if (is_debug || is_of_debug(words)) return;
        const bool is_instruction = !words.empty() && std::isalpha(static_cast<unsigned char>(words.front())) != 0 &&
                                    words.size() != line.size() && !words.ends_with(':');
        add(listing, line, is_instruction ? line_of : -1);
    });
    return listing;
}

}  // namespace loupe::llvm_fuser
