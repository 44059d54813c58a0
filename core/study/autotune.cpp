// SPDX-License-Identifier: Apache-2.0
// Layouts, fusion, forms of layers: each choice is measured on the way to the next; then the kernels of the fastest
// graph, step by step. What came out is kept in a file by what it depends on.
#include "core/study/autotune.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/base/cache_folder.h"
#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/dispatch/plugin_list.h"
#include "core/ir/function.h"
#include "core/model/pipelines.h"
#include "core/passes/pass_list.h"
#include "core/runtime/interpreter/interpreter.h"
#include "core/runtime/planned/static_group.h"
#include "core/runtime/trace/tracer.h"
#include "core/study/plan_parts.h"

namespace loupe::session {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Arguments = std::function<std::vector<IValue>()>;

constexpr std::string_view kMagic = "tensorloupe autotune 1\n";

// FNV-1a.
std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    return hash;
}

std::string hex(std::uint64_t number) {
    std::string text(16, '0');
    for (std::size_t i = 16; i-- > 0; number >>= 4) text[i] = "0123456789abcdef"[number & 15];
    return text;
}

std::string machine() {
    std::string text = concat(counted(thread_count(), "thread"), ", ");
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("model name") || line.starts_with("flags")) text += line + "\n";
        if (line.starts_with("flags")) break;
    }
    for (const auto& plugin : plugins()) text += concat(plugin.name, " ", plugin.needs, "\n");
    return text;
}

// The graph, those of the modules that it may call, and how large what they hold is.
std::string model_text(const ir::Graph& graph, const nn::ModulePtr& module) {
    std::string text = graph.str();
    for (const auto& [path, part] : module->named_modules()) {
        text += concat(path, " ", part->type()->name(), "\n");
        for (const auto& [name, function] : part->type()->methods()) {
            if (const auto* method = dynamic_cast<const ir::ScriptFunction*>(function)) text += method->graph()->str();
        }
    }
    for (const auto& [name, t] : module->named_parameters()) text += concat(name, " ", describe(t), "\n");
    for (const auto& [name, t] : module->named_buffers()) text += concat(name, " ", describe(t), "\n");
    return text;
}

// What a run depends on, so that two keys that are equal have the same fastest way.
std::string key_of(const ir::Graph& graph, const nn::ModulePtr& module, const std::vector<IValue>& arguments) {
    return concat(hex(hash_of(model_text(graph, module))), "\n", runtime::signature_text(arguments), "\n", machine());
}

fs::path file_of(const std::string& key) {
    const fs::path folder = cache_folder();
    if (folder.empty()) return {};
    return folder / "autotune" / (hex(hash_of(key)) + ".json");
}

std::vector<IValue> inputs_of(const ir::Graph& graph, const nn::ModulePtr& module, bool takes_self,
                              const Arguments& arguments) {
    std::vector<IValue> inputs = arguments();
    if (inputs.size() + (takes_self ? 1 : 0) != graph.inputs().size())
        inputs = runtime::traced_inputs(std::move(inputs));
    if (takes_self) inputs.insert(inputs.begin(), IValue(Ptr<Object>(module)));
    return inputs;
}

struct Kernels {
    std::string signature;
    std::vector<std::string> backends;
};

// A file: the magic line, the hash of the rest in hex, JSON.
Json read_kept(const fs::path& file, const std::string& key, std::string& complaint) {
    std::error_code error;
    if (file.empty() || !fs::is_regular_file(file, error)) return nullptr;
    try {
        const std::string text = read_text_file(file);
        const std::size_t head = kMagic.size() + 17;
        const bool is_whole = text.starts_with(kMagic) && text.size() > head &&
                              text.substr(kMagic.size(), 16) == hex(hash_of(text.substr(head)));
        if (is_whole) {
            Json kept = Json::parse(text.substr(head), nullptr, false);
            if (kept.is_object() && kept.value("key", "") == key) return kept;
        }
    } catch (const std::exception&) {
        // As good as damaged.
    }
    complaint = concat(file.string(), ": damaged, measured again");
    return nullptr;
}

void write_kept(const fs::path& file, const Json& kept) {
    if (file.empty()) return;
    try {
        std::error_code error;
        fs::create_directories(file.parent_path(), error);
        const std::string text = kept.dump(1);
        AtomicFile out(file);
        out.write(concat(std::string(kMagic), hex(hash_of(text)), "\n", text));
        out.commit();
    } catch (const Error&) {
        return;  // costs the time that the file would save
    }
}

class Tuner {
  public:
    Tuner(const ir::Graph& graph, const nn::ModulePtr& module, const Arguments& arguments)
        : graph_(graph), module_(module), arguments_(arguments) {}

    // Seconds a run; infinity where it fails.
    double measure(const std::string& pipeline) {
        for (const auto& tried : tried_) {
            if (tried.pipeline == pipeline) return tried.seconds;
        }
        const Ptr<ir::Graph> graph = run_pipeline(pipeline, graph_, module_);
        const std::uint64_t hash = hash_of(graph->str());
        for (std::size_t i = 0; i < hashes_.size(); ++i) {
            if (hashes_[i] == hash) return tried_[i].seconds;  // the choice changes nothing here
        }
        passes::kFuseStaticSubgraphs.run(*graph, {});
        double seconds = std::numeric_limits<double>::infinity();
        try {
            seconds = time(graph);
        } catch (const Error& error) {
            // What is wrong with the run itself the first choice says.
            if (error.kind() == ErrorKind::Cancelled || tried_.empty()) throw;
        }
        tried_.push_back({pipeline, seconds});
        hashes_.push_back(hash);
        return seconds;
    }

    // Kernels of each group of the graph for the arguments, in the graph's order.
    std::vector<Kernels> tune_kernels(const ir::Graph& graph, const runtime::Code& code,
                                      const std::vector<IValue>& inputs) {
        std::vector<Kernels> all;
        // Groups meet their inputs in a run; only one that has the graph's own can be asked for them.
        runtime::run_code(code, inputs);
        for (const runtime::StaticGroupPlace& place : runtime::static_groups(code)) {
            Kernels kernels;
            std::vector<IValue> own;
            for (const ir::Value* input : place.node->inputs()) {
                if (input->node() != graph.param_node()) break;
                own.push_back(inputs[input->offset()]);
            }
            if (own.size() == place.node->inputs().size()) {
                runtime::StaticGroup group(Ptr<const runtime::Code>(&place.group->code()));
                kernels.backends = group.tune(own);
                kernels.signature = runtime::signature_text(own);
            }
            all.push_back(std::move(kernels));
        }
        return all;
    }

    std::vector<TriedPipeline> tried() const {
        auto sorted = tried_;
        std::stable_sort(sorted.begin(), sorted.end(),
                         [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
        return sorted;
    }
    bool takes_self(const ir::Graph& graph) const { return graph.inputs().size() == graph_.inputs().size(); }

  private:
    using Clock = std::chrono::steady_clock;

    double time(const Ptr<ir::Graph>& graph) {
        constexpr int kWarmup = 4;  // until the programs have settled
        constexpr int kFewest = 5;
        constexpr int kMost = 30;
        constexpr double kLong = 0.4;
        const auto code = runtime::Code::make(graph, "autotune");
        const std::vector<IValue> inputs = inputs_of(*graph, module_, takes_self(*graph), arguments_);
        for (int i = 0; i < kWarmup; ++i) runtime::run_code(*code, inputs);
        std::vector<double> times;
        const auto begin = Clock::now();
        const auto since = [](Clock::time_point from) {
            return std::chrono::duration<double>(Clock::now() - from).count();
        };
        while (times.size() < kFewest || (times.size() < kMost && since(begin) < kLong)) {
            const auto from = Clock::now();
            runtime::run_code(*code, inputs);
            times.push_back(since(from));
        }
        std::sort(times.begin(), times.end());
        return times[times.size() / 4];  // others use the machine too
    }

    const ir::Graph& graph_;
    nn::ModulePtr module_;
    const Arguments& arguments_;
    std::vector<TriedPipeline> tried_;
    std::vector<std::uint64_t> hashes_;
};

struct Choices {
    bool channels_last = true;
    bool fuses = true;
    bool joins_linear = false;
    bool turns_linear = false;

    std::string pipeline() const {
        std::string text = "@freeze, @tidy, RemoveTensorMutation";
        if (joins_linear) text += ", FrozenConcatLinear";
        if (turns_linear) text += ", FrozenLinearTranspose";
        if (channels_last) text += ", ConvertFrozenOpsToMKLDNN";
        text += ", DCE";
        if (fuses) text += ", FuseTensorExprs";
        return text;
    }
};

// One choice after the other, each with the best of those before.
std::string choose(Tuner& tuner) {
    Choices best;
    double seconds = tuner.measure(best.pipeline());
    for (bool Choices::*choice :
         {&Choices::channels_last, &Choices::fuses, &Choices::joins_linear, &Choices::turns_linear}) {
        Choices other = best;
        other.*choice = !(other.*choice);
        const double others = tuner.measure(other.pipeline());
        if (others >= seconds) continue;
        best = other;
        seconds = others;
    }
    return best.pipeline();
}

void set_kernels(ir::Graph& graph, const Json& groups) {
    std::size_t i = 0;
    for (ir::Node* node : graph.nodes()) {
        if (node->kind().str() != "prim::StaticSubgraph" || i >= groups.size()) continue;
        const Json& group = groups[i++];
        const auto backends = group.value("backends", std::vector<std::string>());
        if (backends.empty()) continue;
        node->set_s(ir::Symbol::intern("signature"), group.value("signature", ""));
        node->set_attribute(ir::Symbol::intern("backends"), backends);
    }
}

}  // namespace

void autotune(CompiledMethod& compiled, const ir::Graph& graph, const nn::ModulePtr& module,
              const Arguments& arguments) {
    const GradModeScope no_grad(false);
    const ObserverScope unobserved(nullptr);
    const std::string key = key_of(graph, module, arguments());
    const fs::path file = file_of(key);
    compiled.file = file.string();
    Json kept = read_kept(file, key, compiled.complaint);
    compiled.is_from_disk = !kept.is_null();
    Tuner tuner(graph, module, arguments);
    if (!compiled.is_from_disk) {
        kept = {{"key", key}, {"pipeline", choose(tuner)}, {"tried", Json::array()}, {"groups", Json::array()}};
        for (const auto& tried : tuner.tried()) {
            if (std::isfinite(tried.seconds))
                kept["tried"].push_back({{"pipeline", tried.pipeline}, {"seconds", tried.seconds}});
        }
    }
    compiled.pipeline = kept.value("pipeline", "inference");
    compiled.graph = run_pipeline(compiled.pipeline, graph, module);
    compiled.graph = plan_parts(compiled.graph, module, tuner.takes_self(*compiled.graph), arguments, compiled.breaks);
    if (!compiled.is_from_disk) {
        const auto code = runtime::Code::make(compiled.graph, "autotune");
        const std::vector<IValue> inputs =
            inputs_of(*compiled.graph, module, tuner.takes_self(*compiled.graph), arguments);
        for (const Kernels& kernels : tuner.tune_kernels(*compiled.graph, *code, inputs)) {
            kept["groups"].push_back({{"signature", kernels.signature}, {"backends", kernels.backends}});
        }
        write_kept(file, kept);
    }
    set_kernels(*compiled.graph, kept.value("groups", Json::array()));
    compiled.pipeline += ", FuseStaticSubgraphs";
    for (const Json& group : kept.value("groups", Json::array())) {
        compiled.parts.push_back({group.value("signature", ""), group.value("backends", std::vector<std::string>())});
    }
    for (const Json& tried : kept.value("tried", Json::array()))
        compiled.tried.push_back({tried.value("pipeline", ""), tried.value("seconds", 0.0)});
}

std::string autotune_file(const ir::Graph& graph, const nn::ModulePtr& module, const std::vector<IValue>& arguments) {
    return file_of(key_of(graph, module, arguments)).string();
}

}  // namespace loupe::session
