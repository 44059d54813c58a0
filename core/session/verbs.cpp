// SPDX-License-Identifier: Apache-2.0
#include "core/session/verbs.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/strings.h"
#include "core/session/engine.h"
#include "core/session/session_settings.h"
#include "core/session/wire/wire.h"

namespace loupe::session {
namespace {

constexpr VerbTraits kLasts{.lasts = true};
constexpr VerbTraits kWork{.is_work = true};

// kPerform: void(const Verb&, Engine&), with a VerbDone behind for one that has something to follow it.
template <typename Verb, auto kPerform, auto kNote = nullptr>
constexpr VerbRecord verb_record(std::string_view name, VerbTraits traits = {}) {
    VerbRecord record;
    record.name = name;
    record.traits = traits;
    record.perform = [](const void* verb, Engine& engine, [[maybe_unused]] VerbDone done) {
        const Verb& given = *static_cast<const Verb*>(verb);
        if constexpr (requires { kPerform(given, engine, std::move(done)); })
            kPerform(given, engine, std::move(done));
        else
            kPerform(given, engine);
    };
    if constexpr (!std::is_null_pointer_v<decltype(kNote)>)
        record.note = [](const void* verb, SessionSettings& settings) {
            kNote(*static_cast<const Verb*>(verb), settings);
        };
    record.wire = {
        [](const void* verb) { return to_bytes(*static_cast<const Verb*>(verb)); },
        [](std::string_view bytes) -> QueryValue { return std::make_shared<Verb>(from_bytes<Verb>(bytes)); }};
    return record;
}

// --- models ---

void open(const OpenVerb& verb, Engine& engine, VerbDone done) {
    std::function<void()> opened;
    if (done) opened = [done = std::move(done)] { done({}); };
    engine.open(verb.file, verb.build, std::move(opened), verb.kept, verb.inputs);
}

void permit(const PermitSourceVerb& verb, Engine& engine) { engine.permit_source(verb.source, verb.permissions); }
void note_permitted(const PermitSourceVerb& verb, SessionSettings& seen) {
    seen.settings.permit(verb.source, verb.permissions);
}

void set_form(const SetFormVerb& verb, Engine& engine, VerbDone done) { engine.set_form(verb.form, std::move(done)); }

void set_requires_grad(const SetRequiresGradVerb& verb, Engine& engine) {
    engine.request(concat("requires_grad ", verb.module), [&engine, verb] {
        if (!engine.program()) return;
        if (const nn::ModulePtr found = engine.program()->module().get_submodule(verb.module))
            found->set_requires_grad(verb.value);
    });
}

void close_model(const CloseVerb&, Engine& engine) { engine.close(); }
void set_release(const SetTorchReleaseVerb& verb, Engine& engine) {
    engine.set_torch_release(verb.source, verb.release);
}

// --- runs ---

void run(const RunVerb& verb, Engine& engine) { engine.run(verb.options, verb.target); }
void note_run(const RunVerb& verb, SessionSettings& seen) { seen.settings.set_options(verb.options); }

void train(const TrainVerb& verb, Engine& engine) {
    engine.train(verb.options, verb.goes_on ? TrainFrom::Here : TrainFrom::Start, verb.pause_in);
}

void keep_in(const KeepInVerb& verb, Engine& engine) {
    engine.request("keep", [&engine, folder = verb.folder] { engine.keep_in(folder); });
}

void go_on(const ContinueVerb& verb, Engine& engine) { engine.go_on(verb.target); }
void pause_run(const PauseVerb&, Engine& engine) { engine.control().order(RunTarget::next()); }
void stop_work(const StopVerb&, Engine& engine) { engine.stop(); }
void look_at_step(const LookAtStepVerb& verb, Engine& engine) { engine.look_at_step(verb.step); }
void return_to_end(const ReturnToEndVerb&, Engine& engine) { engine.return_to_end(); }
void order_program(const OrderProgramVerb& verb, Engine& engine) { engine.order_program(verb.order, verb.value); }
void generate(const GenerateVerb& verb, Engine& engine) { engine.generate(verb.request); }

// --- breakpoints ---

void move_breakpoints(const MoveBreakpointsVerb& verb, Engine& engine) {
    engine.move_breakpoints(verb.file, verb.text);
}
void add_breakpoint(const AddBreakpointVerb& verb, Engine& engine) { engine.control().put(verb.breakpoint); }
void note_added(const AddBreakpointVerb& verb, SessionSettings& seen) { seen.control.put(verb.breakpoint); }

void update_breakpoint(const UpdateBreakpointVerb& verb, Engine& engine) { engine.control().update(verb.breakpoint); }
void note_updated(const UpdateBreakpointVerb& verb, SessionSettings& seen) { seen.control.update(verb.breakpoint); }

void remove_breakpoint(const RemoveBreakpointVerb& verb, Engine& engine) { engine.control().remove(verb.id); }
void note_removed(const RemoveBreakpointVerb& verb, SessionSettings& seen) { seen.control.remove(verb.id); }

void put_away(const PutAwayBreakpointsVerb& verb, Engine& engine) {
    engine.moves().put_away(verb.path, verb.breakpoints);
}
void note_put_away(const PutAwayBreakpointsVerb& verb, SessionSettings& seen) {
    std::vector<Breakpoint> breakpoints = verb.breakpoints;
    for (Breakpoint& breakpoint : breakpoints) breakpoint.id = seen.control.id_for(breakpoint);
    seen.breakpoints_elsewhere[verb.path] = std::move(breakpoints);
}

void set_inputs(const SetInputsVerb& verb, Engine& engine) { engine.set_inputs(verb.inputs); }
void note_inputs(const SetInputsVerb& verb, SessionSettings& seen) { seen.settings.set_inputs(verb.inputs); }

template <typename... Verbs>
std::array<const VerbRecord*, sizeof...(Verbs)> records_of(VerbTypes<Verbs...>) {
    return {&Verbs::record()...};
}

}  // namespace

// --- the records ---

const VerbRecord& OpenVerb::record() {
    static constexpr VerbRecord kRecord = verb_record<OpenVerb, open>("open", kWork);
    return kRecord;
}
const VerbRecord& CloseVerb::record() {
    static constexpr VerbRecord kRecord = verb_record<CloseVerb, close_model>("close");
    return kRecord;
}
const VerbRecord& PermitSourceVerb::record() {
    static constexpr VerbRecord kRecord =
        verb_record<PermitSourceVerb, permit, note_permitted>("permit source", kLasts);
    return kRecord;
}
const VerbRecord& SetTorchReleaseVerb::record() {
    static constexpr VerbRecord kRecord = verb_record<SetTorchReleaseVerb, set_release>("set release", kLasts);
    return kRecord;
}
const VerbRecord& SetFormVerb::record() {
    static constexpr VerbRecord kRecord =
        verb_record<SetFormVerb, set_form>("set form", {.is_work = true, .says_why = true});
    return kRecord;
}
const VerbRecord& RunVerb::record() {
    static constexpr VerbRecord kRecord = verb_record<RunVerb, run, note_run>("run", kWork);
    return kRecord;
}
const VerbRecord& ContinueVerb::record() {
    static constexpr VerbRecord kRecord = verb_record<ContinueVerb, go_on>("continue", kWork);
    return kRecord;
}
const VerbRecord& PauseVerb::record() {
    static constexpr VerbRecord kRecord = verb_record<PauseVerb, pause_run>("pause");
    return kRecord;
}
const VerbRecord& StopVerb::record() {
    static constexpr VerbRecord kRecord = verb_record<StopVerb, stop_work>("stop");
    return kRecord;
}
const VerbRecord& TrainVerb::record() {
    static constexpr VerbRecord kRecord = verb_record<TrainVerb, train>("train", kWork);
    return kRecord;
}
const VerbRecord& LookAtStepVerb::record() {
    static constexpr VerbRecord kRecord = verb_record<LookAtStepVerb, look_at_step>("look at step", kWork);
    return kRecord;
}
const VerbRecord& ReturnToEndVerb::record() {
    static constexpr VerbRecord kRecord = verb_record<ReturnToEndVerb, return_to_end>("return to end", kWork);
    return kRecord;
}
const VerbRecord& GenerateVerb::record() {
    static constexpr VerbRecord kRecord = verb_record<GenerateVerb, generate>("generate", kWork);
    return kRecord;
}
const VerbRecord& OrderProgramVerb::record() {
    static constexpr VerbRecord kRecord = verb_record<OrderProgramVerb, order_program>("order program");
    return kRecord;
}
const VerbRecord& KeepInVerb::record() {
    static constexpr VerbRecord kRecord = verb_record<KeepInVerb, keep_in>("keep in", kLasts);
    return kRecord;
}
const VerbRecord& AddBreakpointVerb::record() {
    static constexpr VerbRecord kRecord = verb_record<AddBreakpointVerb, add_breakpoint, note_added>("add breakpoint");
    return kRecord;
}
const VerbRecord& UpdateBreakpointVerb::record() {
    static constexpr VerbRecord kRecord =
        verb_record<UpdateBreakpointVerb, update_breakpoint, note_updated>("update breakpoint");
    return kRecord;
}
const VerbRecord& RemoveBreakpointVerb::record() {
    static constexpr VerbRecord kRecord =
        verb_record<RemoveBreakpointVerb, remove_breakpoint, note_removed>("remove breakpoint");
    return kRecord;
}
const VerbRecord& PutAwayBreakpointsVerb::record() {
    static constexpr VerbRecord kRecord =
        verb_record<PutAwayBreakpointsVerb, put_away, note_put_away>("put breakpoints away");
    return kRecord;
}
const VerbRecord& MoveBreakpointsVerb::record() {
    static constexpr VerbRecord kRecord = verb_record<MoveBreakpointsVerb, move_breakpoints>("move breakpoints");
    return kRecord;
}
const VerbRecord& SetInputsVerb::record() {
    static constexpr VerbRecord kRecord = verb_record<SetInputsVerb, set_inputs, note_inputs>("set inputs");
    return kRecord;
}
const VerbRecord& SetRequiresGradVerb::record() {
    static constexpr VerbRecord kRecord = verb_record<SetRequiresGradVerb, set_requires_grad>("set requires_grad");
    return kRecord;
}

std::span<const VerbRecord* const> verb_list() {
    static const auto kAll = records_of(AllVerbs());
    return kAll;
}

const VerbRecord* find_verb(std::string_view name) {
    const auto all = verb_list();
    const auto found = std::ranges::find(all, name, &VerbRecord::name);
    return found == all.end() ? nullptr : *found;
}

}  // namespace loupe::session
