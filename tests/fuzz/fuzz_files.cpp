// SPDX-License-Identifier: Apache-2.0
// loupe_fuzz_files [--full] [--bounded] [--verbose] [--hostile] [--folders] [--only=TEXT] [FILE...]: opens every
// fixture in many damaged forms, and files made by hand to harm, and runs what opens on the fixture's inputs, forward
// and backward, and token by token where it has a tokenizer. Whatever is in a file, that must end soon with a result or
// one line that says what is wrong.
//
// Without options a bounded selection, for CTest; --full all of it, for hours when sanitised. --folders: GGUF files and
// folders of models, of tokenizers and of checkpoints, one file of each damaged at a time. FILEs: only these, in full
// unless --bounded.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/tensor/allocator.h"
#include "tests/fuzz/file_fuzzer.h"
#include "tests/fuzz/fuzz_cases.h"

namespace {

using namespace loupe;
namespace fs = std::filesystem;

const fs::path& tests() {
    static const fs::path folder = fs::path(LOUPE_SOURCE_DIR) / "tests";
    return folder;
}

std::vector<fs::path> sorted(std::vector<fs::path> paths) {
    std::sort(paths.begin(), paths.end());
    return paths;
}

std::vector<fs::path> entries_of_folder(const fs::path& folder) {
    return sorted({fs::directory_iterator(folder), fs::directory_iterator()});
}

std::vector<fs::path> fixture_files() {
    static const std::set<std::string> kKnown{".pt",  ".pt2", ".onnx", ".pth",         ".ptl",   ".npz",
                                              ".npy", ".png", ".jpg",  ".tar",         ".csv",   ".bin",
                                              ".idx", ".gz",  ".txt",  ".safetensors", ".pickle"};
    const fs::path fixtures = tests() / "fixtures";
    std::vector<fs::path> files;
    for (const auto& folder : {fixtures / "models", fixtures / "checkpoints", fixtures / "data", fixtures / "lite",
                               fixtures / "exported", fixtures / "exported" / "compiled", fixtures / "onnx",
                               fixtures / "weights_files", tests() / "formats" / "arrays"}) {
        for (const auto& path : entries_of_folder(folder)) {
            if (kKnown.contains(path.extension().string())) files.push_back(path);
        }
    }
    for (const char* name : {"layers.json", "perceptron.json.gz", "before.pickle", "after.pickle"})
        files.push_back(fixtures / "profiler" / name);
    files.push_back(fixtures / "watch" / "net.watch");
    return files;
}

std::vector<fs::path> gguf_files() {
    std::vector<fs::path> files;
    for (const auto& folder : {tests() / "fixtures" / "gguf", tests() / "fixtures" / "gguf" / "tokenizers"}) {
        for (const auto& path : entries_of_folder(folder)) {
            if (path.extension() == ".gguf") files.push_back(path);
        }
    }
    return files;
}

// What models in folders are read from: not the inputs and results beside them.
std::vector<fs::path> folder_files() {
    static const std::set<std::string> kOthers{"inputs.npz", "outputs.npz", "expected.json", "cases.json"};
    const fs::path fixtures = tests() / "fixtures";
    std::vector<fs::path> folders;
    for (const char* name : {"pretrained", "generation", "tokenizers", "weights_files"}) {
        for (const auto& path : entries_of_folder(fixtures / name)) {
            if (fs::is_directory(path)) folders.push_back(path);
        }
    }
    std::vector<fs::path> files;
    for (const auto& folder : folders) {
        for (const auto& path : entries_of_folder(folder)) {
            if (fs::is_regular_file(path) && !kOthers.contains(path.filename().string())) files.push_back(path);
        }
    }
    return files;
}

bool is_split(const fs::path& file) { return file.filename().string().find("-of-") != std::string::npos; }

void set_up(fuzz::FileFuzzer& fuzzer, const fs::path& file) {
    const std::string extension = file.extension().string();
    const fs::path folder = file.parent_path();
    const fs::path group = folder.parent_path().filename();
    const bool is_part = fs::exists(folder / "config.json") || fs::exists(folder / "cases.json") ||
                         group == "weights_files" || group == "pretrained";
    if (is_part)
        fuzzer.set_part(file);
    else if ((extension == ".gguf" && is_split(file)) || file.filename() == "external.onnx")
        fuzzer.set_file_among(file);
    else
        fuzzer.set_original(file);
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const auto has = [&](const char* option) {
        return std::find(arguments.begin(), arguments.end(), option) != arguments.end();
    };
    std::vector<fs::path> files;
    std::copy_if(arguments.begin(), arguments.end(), std::back_inserter(files),
                 [](const std::string& argument) { return !argument.starts_with("--"); });
    const bool full = has("--full") || (!files.empty() && !has("--bounded"));
    set_allocation_limit(std::size_t{2} << 30);

    fuzz::FileFuzzer fuzzer(has("--verbose"));
    constexpr std::string_view kOnly = "--only=";
    const auto only = std::ranges::find_if(arguments, [&](const std::string& each) { return each.starts_with(kOnly); });
    const std::string wanted = only == arguments.end() ? std::string() : only->substr(kOnly.size());
    const auto visit = [&](const std::string& name, const std::string& extension, const std::string& bytes) {
        if (name.find(wanted) != std::string::npos) fuzzer.run(name, extension, bytes);
    };
    const bool is_all = files.empty();
    if (is_all && has("--folders")) {
        fuzz::visit_hostile_gguf(visit);
        fuzz::visit_hostile_folders(
            tests() / "fixtures", full ? 1 : 97, [&](const fs::path& file) { fuzzer.set_part(file); }, visit);
        files = gguf_files();
        const auto others = folder_files();
        files.insert(files.end(), others.begin(), others.end());
    } else if (is_all) {
        fuzz::visit_hostile(visit);
        if (!has("--hostile")) files = fixture_files();
    }
    // Folders are many, each file of theirs a fixture.
    const std::size_t few = has("--folders") ? 16 : 4;
    const fuzz::Effort effort = full ? fuzz::Effort{} : fuzz::Effort{20 / few, 40 / few, 60 / few, 20 / few, 60 / few};
    for (const auto& file : files) {
        set_up(fuzzer, file);
        fuzz::visit_damaged(fs::relative(file, tests()).string(), file.extension().string(), read_text_file(file),
                            effort, visit);
    }
    return fuzzer.finish();
}
