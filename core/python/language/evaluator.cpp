// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/evaluator.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/distributed/launch_facts.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"

namespace loupe::python {
namespace {

// Exceptions that leave the program say where they happened.
template <typename Work>
auto finishing(const Work& work) {
    try {
        return work();
    } catch (const PythonError& error) {
        throw error.finished();
    } catch (const Error&) {
        throw;
    } catch (const std::bad_alloc&) {
        throw Error(ErrorKind::Run, "MemoryError");
    }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> visible_environment() {
    std::vector<std::pair<std::string, std::string>> out;
    for (const char* name : {"HOME", "USER", "LANG"}) {
        if (const char* value = std::getenv(name)) out.emplace_back(name, value);
    }
    // As torchrun says it, whatever has started this process.
    const distributed::LaunchFacts launch = distributed::read_launch_facts();
    if (launch.launcher == distributed::Launcher::None) return out;
    out.emplace_back("RANK", concat(launch.rank));
    out.emplace_back("WORLD_SIZE", concat(launch.world_size));
    out.emplace_back("LOCAL_RANK", concat(launch.local_rank));
    out.emplace_back("LOCAL_WORLD_SIZE", concat(launch.local_size));
    out.emplace_back("MASTER_ADDR", launch.address.empty() ? "127.0.0.1" : launch.address);
    out.emplace_back("MASTER_PORT", concat(launch.port == 0 ? 29500 : launch.port));
    return out;
}

Evaluator::State::State(const ModuleTable& modules_of_library, EvaluatorOptions given)
    : library(modules_of_library), hook(given.hook), options(std::move(given)) {}

Evaluator::Evaluator(const ModuleTable& library, EvaluatorOptions options)
    : state_(std::make_unique<State>(library, std::move(options))) {
    const EvaluatorScope scope(this);
    state_->builtins = make_ptr<ModuleNamespace>(nullptr);
    for (auto& [name, value] : builtin_entries()) state_->builtins->set(name, std::move(value));
}

Evaluator::~Evaluator() {
    intrusive_ptr_add_ref(this);  // what goes below may look for its evaluator, and must not end it again
    {
        const EvaluatorScope scope(this);
        for (const auto& unit : state_->units) unit->globals->clear();
        for (auto& [name, module] : state_->modules) {
            if (auto* object = object_as<PythonModule>(module)) object->clear();
        }
        state_->modules.clear();
        state_->published_modules->clear();
        state_->tuple_classes.clear();
        state_->given_attributes.clear();
        state_->tracked->clear_all();
    }
    for (const auto& unit : state_->units) unit->owner = nullptr;
}

EvaluatorScope::EvaluatorScope(Evaluator* evaluator) {
    ThreadState& thread = thread_state();
    evaluator_before_ = thread.evaluator;
    tracked_before_ = thread.tracked;
    limit_before_ = thread.recursion_limit;
    thread.evaluator = evaluator;
    thread.tracked = evaluator != nullptr ? evaluator->state().tracked.get() : nullptr;
    thread.recursion_limit = evaluator != nullptr ? &evaluator->state().recursion_limit : &kRecursionLimit;
}

EvaluatorScope::~EvaluatorScope() {
    ThreadState& thread = thread_state();
    thread.evaluator = evaluator_before_;
    thread.tracked = tracked_before_;
    thread.recursion_limit = limit_before_;
}

Evaluator* Evaluator::current() { return thread_state().evaluator; }

NamespacePtr Evaluator::run_file(const std::string& path) {
    const std::string text = read_text_file(path);
    return run_source(std::make_shared<ir::Source>(text, path));
}

NamespacePtr Evaluator::run_source(const std::shared_ptr<const ir::Source>& source) {
    if (state_->directory.empty() && source->file()) {
        const auto parent = std::filesystem::path(*source->file()).parent_path();
        std::error_code removed;
        state_->directory = (parent.empty() ? std::filesystem::current_path(removed) : parent).string();
        if (state_->sandbox != nullptr) state_->sandbox->set_source_folder(state_->directory);
        state_->find_package(*source->file());
    }
    return finishing([&]() -> NamespacePtr {
        const Ptr<Unit> unit = state_->add_unit(*this, source, state_->options.main_name);
        if (source->file()) unit->globals->set("__file__", IValue(*source->file()));
        state_->main = unit;
        state_->publish_main();
        run_module(*unit, state_->options.postpones_main ? ModulePart::WithoutMain : ModulePart::All);
        return unit->globals;
    });
}

void Evaluator::run_main() {
    finishing([&]() -> NamespacePtr {
        run_module(*state_->main, ModulePart::MainOnly);
        return state_->main->globals;
    });
}

void Evaluator::run_main(const std::function<bool()>& is_enough) {
    finishing([&]() -> NamespacePtr {
        run_main_until(*state_->main, is_enough);
        return state_->main->globals;
    });
}

IValue Evaluator::evaluate(const std::string& expression, const std::string& name) {
    return finishing([&] {
        // In parentheses, so that it is one expression, on as many lines as it takes.
        const auto source = std::make_shared<const ir::Source>(concat("(", expression, "\n)"), name);
        const auto unit = make_ptr<Unit>(this, source, state_->options.main_name, state_->main->globals);
        unit->is_library = true;
        state_->units.push_back(unit);
        return evaluate_module(*unit);
    });
}

IValue Evaluator::call(const IValue& callee, CallArguments arguments) {
    return run([&] { return python::call(callee, std::move(arguments)); });
}

IValue Evaluator::run(const std::function<IValue()>& work) {
    const EvaluatorScope scope(this);
    return finishing(work);
}

void Evaluator::write_error(std::string_view text) const {
    if (state_->options.error_output)
        state_->options.error_output(text);
    else
        write(text);
}

void Evaluator::write(std::string_view text) const {
    if (state_->options.output) state_->options.output(text);
}
void Evaluator::set_hook(StatementHook* hook) { state_->hook = hook; }
StatementHook* Evaluator::hook() const { return state_->hook; }
void Evaluator::set_output(std::function<void(std::string_view)> output) { state_->options.output = std::move(output); }

Ptr<Unit> Evaluator::State::add_unit(Evaluator& owner, const std::shared_ptr<const ir::Source>& source,
                                     std::string name) {
    auto names = make_ptr<ModuleNamespace>(builtins.get());
    names->set("__name__", IValue(name));
    names->set("__doc__", IValue());
    auto unit = make_ptr<Unit>(&owner, source, std::move(name), std::move(names));
    if (unit->scopes.module->has_doc) unit->globals->set("__doc__", IValue(unit->scopes.module->doc));
    units.push_back(unit);
    return unit;
}

FileSandbox& Evaluator::State::files() {
    if (sandbox != nullptr) return *sandbox;
    FileSandbox::Options how;
    how.source_folder = directory;
    how.permissions = options.permissions;
    how.permissions.read.insert(how.permissions.read.end(), options.search_paths.begin(), options.search_paths.end());
    if (!package_folder.empty()) how.permissions.read.emplace_back(package_folder);
    std::string name = "source";
    if (main && main->source->file()) name = std::filesystem::path(*main->source->file()).stem().string();
    how.name = name;
    if (options.notice) {
        const auto shared = std::make_shared<const std::function<void(const FileNotice&)>>(options.notice);
        how.refused = [shared](const FileRefusal& refusal) { (*shared)(refusal_notice(refusal, current_range())); };
        how.wrote = [shared](const std::string& folder) { (*shared)(written_notice(folder, current_range())); };
        how.left = [shared, name](const std::string& folder, std::size_t files, std::uint64_t bytes) {
            (*shared)(left_notice(name, folder, files, bytes));
        };
    }
    sandbox = make_ptr<FileSandbox>(std::move(how));
    return *sandbox;
}

}  // namespace loupe::python
