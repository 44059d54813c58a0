// SPDX-License-Identifier: Apache-2.0
#pragma once
// The orders of a session as values, which go to its engine in this process or to one in another. A verb is a struct
// with its fields, its record in verbs.cpp, and its name in AllVerbs. They are performed in the order in which they
// were given.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fields.h"
#include "core/base/file_sandbox.h"
#include "core/base/torch_release.h"
#include "core/model/input_spec.h"
#include "core/model/model_info.h"
#include "core/record/run_options.h"
#include "core/session/breakpoint.h"
#include "core/session/generation.h"
#include "core/session/program_order.h"
#include "core/session/query.h"
#include "core/session/run_target.h"
#include "core/train/training.h"

namespace loupe {

constexpr TorchRelease last_of(TorchRelease) { return TorchRelease::V2_15; }
auto fields(Like<FilePermissions> auto& it) { return std::tie(it.read, it.write); }

}  // namespace loupe

namespace loupe::session {

class Engine;
struct SessionSettings;

// What follows a verb, once: for Open that the model is open, for SetForm why the form was refused (empty: it was not).
// Never called when another order took its place.
using VerbDone = std::function<void(std::string)>;

struct VerbTraits {
    bool lasts = false;     // a setting that holds while the session lives, also for an engine that is started anew
    bool is_work = false;   // an engine that has ended is started anew for it
    bool says_why = false;  // what follows it says why it could not be done
};

struct VerbRecord {
    std::string_view name;  // "run"
    void (*perform)(const void* verb, Engine& engine, VerbDone done) = nullptr;
    // What callers see of it before the engine has performed it; null: nothing.
    void (*note)(const void* verb, SessionSettings& settings) = nullptr;
    VerbTraits traits;
    QueryWire wire;
};

struct OpenVerb {
    static const VerbRecord& record();
    std::filesystem::path file = {};
    std::string build = {};
    std::filesystem::path kept = {};     // the folder of a session before that keeps this model
    std::vector<InputSpec> inputs = {};  // what it has then; none: as guessed
};
struct CloseVerb {
    static const VerbRecord& record();
};
struct PermitSourceVerb {
    static const VerbRecord& record();
    std::filesystem::path source = {};
    FilePermissions permissions = {};
};
struct SetTorchReleaseVerb {
    static const VerbRecord& record();
    std::filesystem::path source = {};
    TorchRelease release = {};
};
struct SetFormVerb {
    static const VerbRecord& record();
    ModelForm form = {};
};
struct RunVerb {
    static const VerbRecord& record();
    RunOptions options = {};
    RunTarget target = {};
};
// As far as that, from where it is parked, in the run under way, or in a new one.
struct ContinueVerb {
    static const VerbRecord& record();
    RunTarget target = {};
};
struct PauseVerb {
    static const VerbRecord& record();
};
struct StopVerb {
    static const VerbRecord& record();
};
struct TrainVerb {
    static const VerbRecord& record();
    TrainOptions options = {};
    bool goes_on = false;
    std::int64_t pause_in = 0;  // a step, from 1, that is parked in before its first operator; 0: none
};
struct LookAtStepVerb {
    static const VerbRecord& record();
    std::int64_t step = 0;
};
struct ReturnToEndVerb {
    static const VerbRecord& record();
};
struct GenerateVerb {
    static const VerbRecord& record();
    GenerateRequest request = {};
};
// To the program whose training is watched.
struct OrderProgramVerb {
    static const VerbRecord& record();
    ProgramOrder order = {};
    std::int64_t value = 0;  // of Every: steps
};
struct KeepInVerb {
    static const VerbRecord& record();
    std::filesystem::path folder = {};
};
// Its id is given already, by SessionSettings.
struct AddBreakpointVerb {
    static const VerbRecord& record();
    Breakpoint breakpoint = {};
};
struct UpdateBreakpointVerb {
    static const VerbRecord& record();
    Breakpoint breakpoint = {};
};
struct RemoveBreakpointVerb {
    static const VerbRecord& record();
    int id = 0;
};
struct PutAwayBreakpointsVerb {
    static const VerbRecord& record();
    std::string path = {};
    std::vector<Breakpoint> breakpoints = {};
};
struct MoveBreakpointsVerb {
    static const VerbRecord& record();
    std::string file = {};
    std::string text = {};
};
struct SetInputsVerb {
    static const VerbRecord& record();
    std::vector<InputSpec> inputs = {};
};
struct SetRequiresGradVerb {
    static const VerbRecord& record();
    std::string module = {};
    bool value = false;
};

auto fields(Like<OpenVerb> auto& it) { return std::tie(it.file, it.build, it.kept, it.inputs); }
auto fields(Like<CloseVerb> auto&) { return std::tie(); }
auto fields(Like<PermitSourceVerb> auto& it) { return std::tie(it.source, it.permissions); }
auto fields(Like<SetTorchReleaseVerb> auto& it) { return std::tie(it.source, it.release); }
auto fields(Like<SetFormVerb> auto& it) { return std::tie(it.form); }
auto fields(Like<RunVerb> auto& it) { return std::tie(it.options, it.target); }
auto fields(Like<ContinueVerb> auto& it) { return std::tie(it.target); }
auto fields(Like<PauseVerb> auto&) { return std::tie(); }
auto fields(Like<StopVerb> auto&) { return std::tie(); }
auto fields(Like<TrainVerb> auto& it) { return std::tie(it.options, it.goes_on, it.pause_in); }
auto fields(Like<LookAtStepVerb> auto& it) { return std::tie(it.step); }
auto fields(Like<ReturnToEndVerb> auto&) { return std::tie(); }
auto fields(Like<GenerateVerb> auto& it) { return std::tie(it.request); }
auto fields(Like<OrderProgramVerb> auto& it) { return std::tie(it.order, it.value); }
auto fields(Like<KeepInVerb> auto& it) { return std::tie(it.folder); }
auto fields(Like<AddBreakpointVerb> auto& it) { return std::tie(it.breakpoint); }
auto fields(Like<UpdateBreakpointVerb> auto& it) { return std::tie(it.breakpoint); }
auto fields(Like<RemoveBreakpointVerb> auto& it) { return std::tie(it.id); }
auto fields(Like<PutAwayBreakpointsVerb> auto& it) { return std::tie(it.path, it.breakpoints); }
auto fields(Like<MoveBreakpointsVerb> auto& it) { return std::tie(it.file, it.text); }
auto fields(Like<SetInputsVerb> auto& it) { return std::tie(it.inputs); }
auto fields(Like<SetRequiresGradVerb> auto& it) { return std::tie(it.module, it.value); }

template <typename... Verbs>
struct VerbTypes {};

// clang-format off
using AllVerbs = VerbTypes<
    OpenVerb,
    CloseVerb,
    PermitSourceVerb,
    SetTorchReleaseVerb,
    SetFormVerb,
    RunVerb,
    ContinueVerb,
    PauseVerb,
    StopVerb,
    TrainVerb,
    LookAtStepVerb,
    ReturnToEndVerb,
    GenerateVerb,
    OrderProgramVerb,
    KeepInVerb,
    AddBreakpointVerb,
    UpdateBreakpointVerb,
    RemoveBreakpointVerb,
    PutAwayBreakpointsVerb,
    MoveBreakpointsVerb,
    SetInputsVerb,
    SetRequiresGradVerb>;
// clang-format on

std::span<const VerbRecord* const> verb_list();
// Null: there is none of that name.
const VerbRecord* find_verb(std::string_view name);

}  // namespace loupe::session
