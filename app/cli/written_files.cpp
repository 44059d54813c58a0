// SPDX-License-Identifier: Apache-2.0
#include "app/cli/written_files.h"

#include <filesystem>
#include <utility>

#include "app/cli/commands.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/formats/checkpoint/weights_file.h"
#include "core/model/inputs.h"
#include "core/model/weights.h"

namespace loupe::cli {
namespace {

namespace fs = std::filesystem;

bool is_same_file(const std::string& a, const std::string& b) {
    if (a.empty() || b.empty()) return false;
    std::error_code failed;
    const fs::file_status status = fs::status(a, failed);
    // /dev/null can be written to any number of times.
    if (fs::exists(status) && !fs::is_regular_file(status)) return false;
    if (fs::equivalent(a, b, failed)) return true;
    return !fs::exists(status) && fs::weakly_canonical(a, failed) == fs::weakly_canonical(b, failed);
}

// What is wrong is said where it is used.
void add_backward_files(std::vector<NamedFile>& files, const RunArguments& options) try {
    const session::BackwardFrom from = session::parse_backward_from(options.loss, options.target);
    if (!from.file.empty()) files.push_back({"the file of --loss", from.file});
    if (from.target.source == session::LossTarget::Source::File)
        files.push_back({"the file of --target", from.target.text});
} catch (const Error&) {
}

fs::path checkpoint_beside(const fs::path& model) try {
    return model.extension() == ".py" ? session::weights_beside(model) : fs::path();
} catch (const Error&) {
    return {};
}

// The files of an index or a folder. What is wrong with it is said where it is read.
void add_files_of(std::vector<NamedFile>& files, const char* option, const fs::path& path) try {
    for (const fs::path& file : path.empty() ? std::vector<fs::path>{} : files_of_weights(path))
        files.push_back({option, file.string()});
} catch (const Error&) {
}

}  // namespace

std::vector<NamedFile> read_files(const RunArguments& options) {
    std::vector<NamedFile> files{{"the model", options.model},
                                 {"--inputs", options.inputs_file},
                                 {"--weights", options.weights},
                                 {"--data", options.data}};
    add_files_of(files, "the model", options.model);
    add_files_of(files, "--weights", options.weights);
    if (options.weights.empty()) files.push_back({"the checkpoint beside the model", checkpoint_beside(options.model)});
    if (options.inputs_file.empty() && options.input_specs.empty()) {
        files.push_back({"the file of inputs beside the model", session::samples_beside(options.model)});
    }
    add_backward_files(files, options);
    return files;
}

void check_written_files(const std::vector<NamedFile>& written, const std::vector<NamedFile>& read) {
    for (std::size_t i = 0; i < written.size(); ++i) {
        for (const NamedFile& input : read) {
            if (!is_same_file(written[i].path, input.path)) continue;
            throw Error(
                ErrorKind::Usage,
                concat(written[i].option, " would overwrite ", input.option, ", which is read: give another name"),
                {.file = written[i].path});
        }
        for (std::size_t other = 0; other < i; ++other) {
            if (!is_same_file(written[i].path, written[other].path)) continue;
            throw Error(ErrorKind::Usage,
                        concat(written[other].option, " and ", written[i].option, " name the same file"),
                        {.file = written[i].path});
        }
    }
}

void check_not_taken_by_source(const NamedFile& file, const std::string& model) {
    if (file.path.empty() || fs::path(model).extension() != ".py") return;
    for (const auto& [extension, what] : {std::pair{".npz", "weights"}, std::pair{".in.npz", "inputs"}}) {
        fs::path taken = model;
        taken.replace_extension(extension);
        if (!is_same_file(file.path, taken.string())) continue;
        throw Error(ErrorKind::Usage,
                    concat(file.option, " has the name of the ", what, " of ", fs::path(model).filename().string(),
                           ", which would be taken for them from then on: give another name"),
                    {.file = file.path});
    }
}

void check_can_be_written(const NamedFile& file) {
    std::error_code failed;
    const fs::file_status status = fs::status(file.path, failed);
    // The reader of a FIFO would take the probe for the whole.
    const bool is_special = fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
    if (file.path.empty() || is_special) return;
    const AtomicFile probe{fs::path(file.path)};  // without commit() it leaves nothing
}

void check_npz_name(const NamedFile& file) {
    std::error_code failed;
    const fs::file_status status = fs::status(file.path, failed);
    const bool is_special = fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
    if (file.path.empty() || is_special || fs::path(file.path).extension() == ".npz") return;
    throw Error(ErrorKind::Usage, concat(file.option, " writes a NumPy archive: give a name that ends in .npz"),
                {.file = file.path});
}

}  // namespace loupe::cli
