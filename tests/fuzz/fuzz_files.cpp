// SPDX-License-Identifier: Apache-2.0
// loupe_fuzz_files [--full] [--bounded] [--verbose] [--hostile] [FILE...]: opens every fixture in many damaged forms,
// and files made by hand to harm, and runs what opens on the fixture's inputs, forward and backward. Whatever is in a
// file, that must end soon with a result or one line that says what is wrong.
//
// Without options a bounded selection, for CTest; --full all of it, for hours when sanitised. FILEs: only these, in
// full unless --bounded.

#include <unistd.h>
#include <csignal>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/autograd/grad_mode.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/formats/checkpoint/checkpoint.h"
#include "core/formats/image/image.h"
#include "core/formats/model_file.h"
#include "core/formats/numpy/npy.h"
#include "core/formats/sources/source.h"
#include "core/ir/function.h"
#include "core/model/input_file.h"
#include "core/model/inputs.h"
#include "core/model/program.h"
#include "core/record/backward_roots.h"
#include "core/record/run_phases.h"
#include "core/tensor/allocator.h"
#include "core/tensor/compressed.h"
#include "core/tensor/quantizer.h"
#include "core/tensor/sparse.h"
#include "tests/fuzz/fuzz_cases.h"

namespace {

using namespace loupe;

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

namespace {

class Fuzzer {
  public:
    explicit Fuzzer(bool verbose) : verbose_(verbose) {
        folder_ = std::filesystem::temp_directory_path() / ("loupe_fuzz_" + std::to_string(::getpid()));
        std::filesystem::create_directories(folder_);
    }
    ~Fuzzer() { std::filesystem::remove_all(folder_); }

    // Of what the next cases are damaged forms of; its inputs lie beside it.
    void set_original(const std::filesystem::path& path) {
        inputs_ = path.parent_path() / (path.stem().string() + ".in.npz");
        if (!std::filesystem::exists(inputs_)) inputs_.clear();
        brings_own_ = path.extension() == ".pt2";
    }

    void run(const std::string& name, const std::string& extension, const std::string& bytes) {
        std::snprintf(current_case.data(), current_case.size(), "%s", name.c_str());
        const auto path = folder_ / ("case" + extension);
        write_file_atomically(path, bytes);
        ::alarm(kMostSeconds);
        const auto start = std::chrono::steady_clock::now();
        std::string line;
        try {
            open(path, extension);
            ++opened_;
        } catch (const Error& error) {
            line = error.what();
            check_line(name, line);
        } catch (const std::exception& error) {
            report(name, std::string("throws something else: ") + error.what());
        }
        ::alarm(0);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        slowest_ = std::max(slowest_, {seconds, name});
        ++cases_;
        if (verbose_) std::printf("%s: %s (%.3f s)\n", name.c_str(), line.empty() ? "opens" : line.c_str(), seconds);
    }

    int finish() const {
        std::printf("%zu cases, %zu open, %zu run, %zu wrong; slowest %.2f s: %s\n", cases_, opened_, ran_, wrong_,
                    slowest_.first, slowest_.second.c_str());
        return wrong_ == 0 ? 0 : 1;
    }

  private:
    void open(const std::filesystem::path& path, const std::string& extension) {
        if (extension == ".npy") return touch(read_npy(path));
        if (extension == ".png" || extension == ".jpg") return touch(read_image(path));
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

    // Null: no data.
    static const char* source_of(const std::string& extension) {
        if (extension == ".csv") return "csv";
        if (extension == ".bin") return "cifar10";
        if (extension == ".gz" || extension == ".idx") return "idx";
        return extension == ".txt" ? "text" : nullptr;
    }

    // All that are whole; then the first error of those that are not.
    static void read_records(const std::filesystem::path& path, const char* name) {
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

    // Compiles every method too, looks at the weights, and runs forward and backward.
    void open_program(const std::filesystem::path& path) {
        const auto program = session::Program::open(path);
        try {
            compile_all(program->file());
            if (!inputs_.empty()) run_method(program);
        } catch (Error& error) {
            error.add_context({.file = path.string()});
            throw;
        }
    }

    void run_method(const std::shared_ptr<session::Program>& program) {
        const DeadlineScope deadline(std::chrono::seconds(2));
        const GradModeScope grad(true);
        const session::PreparedMethod method(program, program->default_method(), "none");
        const auto own = program->default_inputs(program->default_method());
        const bool has_own = !own.empty() && own.front().source == session::InputSpec::Source::Example;
        if (brings_own_ && !has_own) return;  // the damage took them
        const auto arguments =
            has_own ? program->make_arguments(own, program->default_method())
                    : session::make_inputs(session::input_specs_of_file(inputs_, method.schema(), *program->info()),
                                           method.schema(), true);
        session::require_input_gradients(arguments);
        const TensorList outputs = session::flatten_tensors(method.forward(arguments));
        for (const Tensor& output : outputs) touch(output);
        session::run_backward(session::roots_of_outputs(outputs));
        ++ran_;
    }

    static void compile_all(const ModelFile& model) {
        for (const auto& [name, tensor] : model.module->state_dict()) touch(tensor);
        std::set<const Type*> seen;
        for (const auto& [name, module] : model.module->named_modules()) {
            if (!seen.insert(module->type().get()).second) continue;
            for (const auto& [method, function] : module->type()->methods()) {
                if (const auto* script = dynamic_cast<const ir::ScriptFunction*>(function)) script->graph();
            }
        }
    }

    // Its elements, or those of the tensors that it is made of.
    static void touch(const Tensor& tensor) {
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
        const auto* bytes = static_cast<const unsigned char*>(tensor.storage()->data());
        unsigned char sum = 0;
        for (std::size_t i = 0; i < tensor.storage()->bytes(); i += 64)
            sum = static_cast<unsigned char>(sum + bytes[i]);
        if (tensor.numel() > 0)
            sum = static_cast<unsigned char>(sum + *static_cast<const unsigned char*>(tensor.raw_data()));
        sink = sum;
    }

    void check_line(const std::string& name, const std::string& line) {
        if (line.find('\n') != std::string::npos) report(name, "gives more than one line: " + line);
        if (line.find("case.") == std::string::npos) report(name, "does not name the file: " + line);
    }
    void report(const std::string& name, const std::string& what) {
        ++wrong_;
        std::printf("%s: %s\n", name.c_str(), what.c_str());
    }

    bool verbose_;
    std::filesystem::path folder_;
    std::filesystem::path inputs_;  // empty: the cases are not run
    bool brings_own_ = false;       // inputs, inside the file
    std::size_t cases_ = 0;
    std::size_t opened_ = 0;
    std::size_t ran_ = 0;
    std::size_t wrong_ = 0;
    std::pair<double, std::string> slowest_;
};

std::vector<std::filesystem::path> fixture_files() {
    const std::filesystem::path tests = std::filesystem::path(LOUPE_SOURCE_DIR) / "tests";
    std::vector<std::filesystem::path> files;
    for (const auto& folder :
         {tests / "fixtures" / "models", tests / "fixtures" / "checkpoints", tests / "fixtures" / "data",
          tests / "fixtures" / "lite", tests / "fixtures" / "exported", tests / "fixtures" / "onnx",
          tests / "fixtures" / "weights_files", tests / "formats" / "arrays"}) {
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            const std::string extension = entry.path().extension().string();
            const std::set<std::string> known{".pt",  ".pt2", ".onnx", ".pth", ".ptl", ".npz", ".npy", ".png",
                                              ".jpg", ".tar", ".csv",  ".bin", ".idx", ".gz",  ".txt", ".safetensors"};
            if (known.contains(extension)) files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const auto has = [&](const char* option) {
        return std::find(arguments.begin(), arguments.end(), option) != arguments.end();
    };
    std::vector<std::filesystem::path> files;
    std::copy_if(arguments.begin(), arguments.end(), std::back_inserter(files),
                 [](const std::string& argument) { return !argument.starts_with("--"); });
    const bool full = has("--full") || (!files.empty() && !has("--bounded"));
    std::signal(SIGALRM, on_alarm);
    set_allocation_limit(std::size_t{2} << 30);

    Fuzzer fuzzer(has("--verbose"));
    const auto visit = [&](const std::string& name, const std::string& extension, const std::string& bytes) {
        fuzzer.run(name, extension, bytes);
    };
    if (files.empty()) fuzz::visit_hostile(visit);
    if (files.empty() && !has("--hostile")) files = fixture_files();
    const fuzz::Effort effort = full ? fuzz::Effort{} : fuzz::Effort{20, 40, 60, 20, 60};
    for (const auto& file : files) {
        fuzzer.set_original(file);
        fuzz::visit_damaged(file.filename().string(), file.extension().string(), read_text_file(file), effort, visit);
    }
    return fuzzer.finish();
}
