// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/file_fuzzer.h"

#include <unistd.h>
#include <csignal>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <set>

#include "core/autograd/grad_mode.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/formats/checkpoint/checkpoint.h"
#include "core/formats/image/image.h"
#include "core/formats/numpy/npy.h"
#include "core/formats/profiler/snapshot_reader.h"
#include "core/formats/profiler/trace_reader.h"
#include "core/formats/sources/source.h"
#include "core/ir/function.h"
#include "core/model/generate.h"
#include "core/model/input_file.h"
#include "core/model/inputs.h"
#include "core/model/program.h"
#include "core/model/text_model.h"
#include "core/record/backward_roots.h"
#include "core/record/run_phases.h"
#include "core/session/imported_file.h"
#include "core/study/profile_flame.h"
#include "core/study/profile_statistics.h"
#include "core/study/snapshot_history.h"
#include "core/tensor/compressed.h"
#include "core/tensor/nested.h"
#include "core/tensor/packed.h"
#include "core/tensor/quantizer.h"
#include "core/tensor/sparse.h"
#include "core/text/tokenizer_folder.h"
#include "core/train/watched_training.h"
#include "tests/fuzz/case_limit.h"

namespace {

constexpr unsigned kMostSeconds = 20;
std::array<char, 512> current_case{};
volatile unsigned char sink = 0;  // keeps reads from being optimised away

// Async-signal-safe.
void name_case() {
    const auto say = [](const char* text) {
        const auto written = ::write(STDERR_FILENO, text, std::strlen(text));
        static_cast<void>(written);
    };
    say("\nfuzz case: ");
    say(current_case.data());
    say("\n");
}

void on_alarm(int) {
    name_case();
    std::_Exit(3);
}

}  // namespace

// AddressSanitizer calls this before it reports.
extern "C" void __asan_on_error() { name_case(); }

namespace loupe::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "case.model";
constexpr const char* kText = "The quick brown fox, 12 café's 你好 \U0001F600 jumps\n  over!";

// Its elements, or those of the tensors that it is made of.
void touch(const Tensor& tensor) {
    if (is_coordinate(tensor)) {
        touch(coordinate_parts(tensor).indices);
        return touch(coordinate_parts(tensor).values);
    }
    if (is_compressed(tensor)) {
        const CompressedParts& parts = compressed_parts(tensor);
        for (const Tensor& part : {parts.compressed, parts.plain, parts.values}) touch(part);
        return;
    }
    if (is_quantized(tensor)) return touch(quantized_parts(tensor).integers);
    if (is_packed(tensor)) return touch(packed_parts(tensor).bytes);
    const auto* bytes = static_cast<const unsigned char*>(tensor.storage()->data());
    unsigned char sum = 0;
    for (std::size_t i = 0; i < tensor.storage()->bytes(); i += 64) sum = static_cast<unsigned char>(sum + bytes[i]);
    if (tensor.numel() > 0)
        sum = static_cast<unsigned char>(sum + *static_cast<const unsigned char*>(tensor.raw_data()));
    sink = sum;
}

// Null: no data.
const char* source_of(const std::string& extension) {
    if (extension == ".csv") return "csv";
    if (extension == ".bin") return "cifar10";
    if (extension == ".gz" || extension == ".idx") return "idx";
    return extension == ".txt" ? "text" : nullptr;
}

// All that are whole; then the first error of those that are not.
void read_records(const fs::path& path, const char* name) {
    const DeadlineScope deadline(std::chrono::seconds(10));
    const data::Source source = data::open_source({name, path, {}});
    std::optional<Error> first;
    for (std::int64_t i = 0; i < std::min<std::int64_t>(source.dataset->size(), 2000); ++i) {
        try {
            visit_tensors(source.dataset->get(i), touch);
        } catch (const Error& error) {
            if (!first) first = error;
        }
    }
    if (first) throw *first;
}

void compile_all(const ModelFile& model) {
    for (const auto& [name, tensor] : model.module->state_dict()) touch(tensor);
    std::set<const Type*> seen;
    for (const auto& [name, module] : model.module->named_modules()) {
        if (!seen.insert(module->type().get()).second) continue;
        for (const auto& [method, function] : module->type()->methods()) {
            if (const auto* script = dynamic_cast<const ir::ScriptFunction*>(function)) script->graph();
        }
    }
}

bool is_tokenizer_alone(const fs::path& folder) {
    return fs::is_directory(folder) && !fs::exists(folder / "config.json") && fs::exists(folder / "cases.json");
}

void tokenize(const text::Tokenizer& tokenizer) {
    std::vector<text::TokenId> ids;
    for (const text::EncodedToken& token : tokenizer.encode(kText)) ids.push_back(token.id);
    tokenizer.decode(ids);
    for (text::TokenId id = 0; id < 300; ++id) ids.push_back(id);
    tokenizer.decode(ids, false);
}

void try_tokenizer(const fs::path& folder) {
    try {
        tokenize(*text::open_tokenizer(folder));
    } catch (Error& error) {
        error.add_context({.file = folder.string()});
        throw;
    }
}

// Two tokens more, where the model has a tokenizer.
void write_text(const std::shared_ptr<session::Program>& program, const fs::path& path) {
    const bool has_file = fs::is_directory(path) && fs::exists(path / "tokenizer.json");
    if (!program->file().text && !has_file) return;
    if (!program->file().cannot_run.empty()) return;
    const DeadlineScope deadline(std::chrono::seconds(5));
    const auto model = std::make_shared<const session::TextModel>(program, path);
    tokenize(model->tokenizer());
    for (std::int64_t id = -1; id < 40; ++id) model->shown(id);
    session::GenerateOptions options = session::generate_options(*model);
    options.max_tokens = 2;
    session::TextGenerator generator(model, "ab", options);
    while (!generator.is_done()) generator.step();
    generator.take_text();
}

}  // namespace

FileFuzzer::FileFuzzer(bool verbose) : verbose_(verbose) {
    std::signal(SIGALRM, on_alarm);
    static int count = 0;
    folder_ = fs::temp_directory_path() / concat("loupe_fuzz_", ::getpid(), "_", count++);
    fs::create_directories(folder_);
}

FileFuzzer::~FileFuzzer() { fs::remove_all(folder_); }

void FileFuzzer::set_original(const fs::path& path) {
    inputs_ = path.parent_path() / (path.stem().string() + ".in.npz");
    if (!fs::exists(inputs_)) inputs_.clear();
    brings_own_ = path.extension() == ".pt2";
    place_.clear();
    is_folder_ = false;
}

void FileFuzzer::copy_beside(const fs::path& path) {
    fs::remove_all(folder_ / kFolder);
    fs::copy(path.parent_path(), folder_ / kFolder);
    place_ = folder_ / kFolder / path.filename();
}

void FileFuzzer::set_part(const fs::path& path) {
    set_original(path);
    copy_beside(path);
    is_folder_ = true;
    inputs_.clear();
    brings_own_ = true;
}

void FileFuzzer::set_file_among(const fs::path& path) {
    set_original(path);
    copy_beside(path);
}

fs::path FileFuzzer::write_case(const std::string& extension, const std::string& bytes) const {
    const fs::path path = place_.empty() ? folder_ / ("case" + extension) : place_;
    write_file_atomically(path, bytes);
    return is_folder_ ? path.parent_path() : path;
}

void FileFuzzer::run(const std::string& name, const std::string& extension, const std::string& bytes) {
    std::snprintf(current_case.data(), current_case.size(), "%s", name.c_str());
    const fs::path path = write_case(extension, bytes);
    limit_case(kMostSeconds);
    const auto start = std::chrono::steady_clock::now();
    std::string line;
    try {
        open(path, is_folder_ ? std::string() : extension);
        ++opened_;
    } catch (const Error& error) {
        line = error.what();
        check_line(name, line);
    } catch (const std::exception& error) {
        report(name, std::string("throws something else: ") + error.what());
    }
    limit_case(0);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    slowest_ = std::max(slowest_, {seconds, name});
    ++cases_;
    if (verbose_) std::printf("%s: %s (%.3f s)\n", name.c_str(), line.empty() ? "opens" : line.c_str(), seconds);
}

int FileFuzzer::finish() const {
    std::printf("%zu cases, %zu open, %zu run, %zu wrong; slowest %.2f s: %s\n", cases_, opened_, ran_, wrong_,
                slowest_.first, slowest_.second.c_str());
    return wrong_ == 0 ? 0 : 1;
}

namespace {

// All that panels ask of traces and snapshots.
void study(const fs::path& path) {
    if (session::imported_kind(path) == session::ImportedKind::ProfileTrace) {
        const ProfileTrace trace = read_profile_trace(MappedFile::open(path));
        session::operator_totals(trace);
        session::flame_graph(trace);
        return;
    }
    const MemorySnapshot snapshot = read_memory_snapshot(MappedFile::open(path));
    for (const auto& history : session::snapshot_histories(snapshot)) {
        for (const auto kind : {session::HolderKind::OwnCode, session::HolderKind::Stack, session::HolderKind::Size})
            session::holders_at(snapshot, history, history.peak, kind);
        for (std::uint32_t step = 0; step < history.steps(); step += 1 + history.steps() / 16)
            session::segments_at(snapshot, history, step);
    }
}

// All of a training that another program did, with what its modules gave.
void look_at_training(const fs::path& path) {
    try {
        const auto training = session::read_watched_file(path);
        training->log()->verdict();
        const auto recording = training->take_recording();
        if (recording == nullptr) return;
        for (session::ValueId id = 1; id <= recording->recording()->value_count(); ++id) {
            const Tensor elements = recording->elements(id);
            if (elements.defined()) touch(elements);
        }
    } catch (Error& error) {
        error.add_context({.file = path.string()});
        throw;
    }
}

void study_imported(const fs::path& path) {
    try {
        study(path);
    } catch (Error& error) {
        error.add_context({.file = path.string()});
        throw;
    }
}

}  // namespace

void FileFuzzer::open(const fs::path& path, const std::string& extension) {
    if (extension == ".npy") return touch(read_npy(path));
    if (extension == ".png" || extension == ".jpg") return touch(read_image(path));
    if (is_tokenizer_alone(path)) return try_tokenizer(path);
    if (session::imported_kind(path) != session::ImportedKind::None) return study_imported(path);
    if (extension == ".watch") return look_at_training(path);
    if (extension == ".npz") {
        for (const auto& [name, tensor] : read_npz(path)) touch(tensor);
    } else if (const char* source = source_of(extension)) {
        read_records(path, source);
    } else if (extension == ".pth" || extension == ".tar") {
        visit_tensors(read_checkpoint(path), touch);
    } else {
        open_program(path);
    }
}

// Compiles every method too, looks at the weights, and runs forward and backward.
void FileFuzzer::open_program(const fs::path& path) {
    const auto program = session::Program::open(path);
    try {
        compile_all(program->file());
        if (can_run(*program)) run_method(program);
        write_text(program, path);
    } catch (Error& error) {
        error.add_context({.file = path.string()});
        throw;
    }
}

bool FileFuzzer::can_run(const session::Program& program) const {
    const ModelFile& file = program.file();
    if (!file.cannot_run.empty()) return false;
    if (file.eager == nullptr && file.module->type()->methods().empty()) return false;  // weights alone
    if (!inputs_.empty() || brings_own_) return true;
    return program.schema(program.default_method()).arguments.size() == 1;  // self
}

void FileFuzzer::run_method(const std::shared_ptr<session::Program>& program) {
    const DeadlineScope deadline(std::chrono::seconds(2));
    const GradModeScope grad(true);
    const session::PreparedMethod method(program, program->default_method(), "none");
    const auto own = program->default_inputs(program->default_method());
    const bool has_own = !own.empty() && own.front().source == session::InputSpec::Source::Example;
    if (brings_own_ && !has_own) return;  // the damage took them
    const auto arguments =
        has_own || inputs_.empty()
            ? program->make_arguments(own, program->default_method())
            : session::make_inputs(session::input_specs_of_file(inputs_, method.schema(), *program->info()),
                                   method.schema(), true);
    session::require_input_gradients(arguments);
    const TensorList outputs = session::flatten_tensors(method.forward(arguments));
    for (const Tensor& output : outputs) touch(output);
    session::run_backward(session::roots_of_outputs(outputs));
    ++ran_;
}

void FileFuzzer::check_line(const std::string& name, const std::string& line) {
    if (line.find('\n') != std::string::npos) report(name, "gives more than one line: " + line);
    // What our own sources of architectures say has their place.
    const bool is_named = line.find("case.") != std::string::npos || line.starts_with("architectures/");
    if (!is_named) report(name, "does not name the file: " + line);
}

void FileFuzzer::report(const std::string& name, const std::string& what) {
    ++wrong_;
    std::printf("%s: %s\n", name.c_str(), what.c_str());
}

}  // namespace loupe::fuzz
