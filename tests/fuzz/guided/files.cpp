// SPDX-License-Identifier: Apache-2.0
// Files, or one file of a folder that belongs together. An input's first byte says which (kinds()), the rest is the
// file. LOUPE_VERBOSE=1: what comes of each.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/tensor/allocator.h"
#include "tests/fuzz/archive_entries.h"
#include "tests/fuzz/file_fuzzer.h"
#include "tests/fuzz/fuzz_cases.h"
#include "tests/fuzz/gguf_parts.h"
#include "tests/fuzz/guided/guided.h"

namespace loupe::fuzz {
namespace {

namespace fs = std::filesystem;

fs::path fixtures() { return fs::path(LOUPE_SOURCE_DIR) / "tests" / "fixtures"; }

// What an input is read as. Kept inputs begin with a number of this list: kinds are added at its end.
struct Kind {
    std::string extension;
    std::string part;  // of a folder below the fixtures; empty: a file of its own
};

const std::vector<Kind>& kinds() {
    static const std::vector<Kind> all{
        {".pt", {}},
        {".pt2", {}},
        {".onnx", {}},
        {".pth", {}},
        {".ptl", {}},
        {".npz", {}},
        {".npy", {}},
        {".png", {}},
        {".jpg", {}},
        {".tar", {}},
        {".csv", {}},
        {".bin", {}},
        {".idx", {}},
        {".gz", {}},
        {".txt", {}},
        {".safetensors", {}},
        {".pickle", {}},
        {".gguf", {}},
        {".json", {}},
        {".watch", {}},
        {".json", "pretrained/gpt2/config.json"},
        {".safetensors", "pretrained/gpt2/model.safetensors"},
        {".json", "tokenizers/bert/tokenizer.json"},
        {".json", "tokenizers/gpt2/tokenizer.json"},
        {".json", "tokenizers/llama/tokenizer.json"},
    };
    return all;
}

FileFuzzer& fuzzer(std::size_t kind) {
    static std::map<std::size_t, std::unique_ptr<FileFuzzer>> all;
    auto& one = all[kind];
    if (one == nullptr) {
        one = std::make_unique<FileFuzzer>(std::getenv("LOUPE_VERBOSE") != nullptr);
        const Kind& what = kinds()[kind];
        if (what.part.empty())
            one->set_original("case" + what.extension);
        else
            one->set_part(fixtures() / what.part);
    }
    return *one;
}

// The first change that a visitor offers.
class First {
  public:
    Visit visit() {
        return [this](const std::string&, const std::string&, const std::string& bytes) {
            if (bytes_.empty()) bytes_ = bytes;
        };
    }
    const std::string& bytes() const { return bytes_; }

  private:
    std::string bytes_;
};

// With an entry of an archive, a value of JSON or a field of a message changed. Empty where it has none of these.
std::string changed_in_form(const std::string& input, std::uint64_t draw, const ChangeBytes& change_bytes) {
    const std::string kind = input.substr(0, 1), bytes = input.substr(1);
    const Kind& what = kinds()[static_cast<unsigned char>(input[0]) % kinds().size()];
    First first;
    if (what.extension == ".onnx") {
        visit_message_changes({}, what.extension, bytes, 1, first.visit(), draw);
    } else if (is_gguf(bytes)) {
        visit_gguf_changes({}, what.extension, bytes, 1, first.visit(), draw);
    } else if (draw % 2 == 0) {
        visit_json_changes({}, what.extension, bytes, 1, first.visit(), draw);
    } else if (is_archive(bytes)) {
        std::vector<Entry> entries = entries_of(bytes);
        std::erase_if(entries, [](const Entry& entry) { return entry.text.size() > (std::size_t{1} << 20); });
        if (entries.empty()) return {};
        Entry& entry = entries[draw / 2 % entries.size()];
        entry.text = change_bytes(entry.text);
        return kind + archive_of(entries);
    }
    return first.bytes().empty() ? std::string() : kind + first.bytes();
}

}  // namespace

void begin() {
    set_allocation_limit(std::size_t{256} << 20);
    set_thread_count(1);
}

bool try_input(std::span<const std::uint8_t> input) {
    if (input.empty()) return true;
    const std::size_t kind = input[0] % kinds().size();
    const std::string bytes(input.begin() + 1, input.end());
    fuzzer(kind).run("input", kinds()[kind].extension, bytes);
    return fuzzer(kind).wrong() == 0;
}

// Half of the changes keep the form. What is damaged already has none that could be kept.
std::string change(const std::string& input, std::uint64_t seed, const ChangeBytes& change_bytes) {
    if (input.size() < 2 || seed % 2 == 0) return change_bytes(input);
    try {
        const std::string changed = changed_in_form(input, seed / 2, change_bytes);
        if (!changed.empty()) return changed;
    } catch (const std::exception&) {
    }
    return change_bytes(input);
}

void visit_seeds(const VisitSeed& visit) {
    constexpr std::uintmax_t kMostBytes = 64 << 10;
    const auto offer = [&](std::size_t kind, const fs::path& path) {
        if (fs::file_size(path) <= kMostBytes) visit(std::string(1, static_cast<char>(kind)) + read_text_file(path));
    };
    const auto arrays = fs::path(LOUPE_SOURCE_DIR) / "tests" / "formats" / "arrays";
    for (const fs::path& folder :
         {fixtures() / "models", fixtures() / "checkpoints", fixtures() / "data", fixtures() / "lite",
          fixtures() / "exported", fixtures() / "onnx", fixtures() / "weights_files", fixtures() / "gguf",
          fixtures() / "gguf" / "tokenizers", fixtures() / "profiler", fixtures() / "watch", arrays}) {
        for (const auto& entry : fs::directory_iterator(folder)) {
            const std::string extension = entry.path().extension().string();
            const auto kind = std::ranges::find_if(
                kinds(), [&](const Kind& each) { return each.part.empty() && each.extension == extension; });
            if (kind != kinds().end() && entry.is_regular_file())
                offer(static_cast<std::size_t>(kind - kinds().begin()), entry.path());
        }
    }
    for (std::size_t kind = 0; kind < kinds().size(); ++kind) {
        if (!kinds()[kind].part.empty()) offer(kind, fixtures() / kinds()[kind].part);
    }
}

}  // namespace loupe::fuzz
