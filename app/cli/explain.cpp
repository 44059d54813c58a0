// SPDX-License-Identifier: Apache-2.0
// explain: where an element of a recorded value comes from, as a tree of text.

#include "core/study/explain.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "app/cli/commands.h"
#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/record/run_phases.h"
#include "core/study/named_value.h"
#include "core/study/share_groups.h"

namespace loupe::cli {
namespace {

using session::Explanation;
using session::ShareGroup;

std::string place_text(const Explanation& e) {
    std::string text;
    if (e.event != 0) text = concat("#", e.event, " ", e.op);
    if (!e.scope.empty()) text += concat(" in ", e.scope);
    if (!e.source_file.empty()) text += concat(" (", e.source_file, ":", e.source_line, ")");
    return text;
}

std::string box_text(const ShareGroup& group) {
    if (group.count <= 1) return {};
    std::vector<std::string> parts;
    for (std::size_t d = 0; d < group.from.size(); ++d) parts.push_back(concat(group.from[d], ":", group.to[d]));
    return concat(" [", join(parts, ", "), "]");
}

std::string_view role_text(ShareGroup::Role role) {
    switch (role) {
        case ShareGroup::Role::Source:
            return "";
        case ShareGroup::Role::Factor:
            return "factor ";
        case ShareGroup::Role::Selector:
            return "chosen by ";
        case ShareGroup::Role::Constant:
            return "";
        case ShareGroup::Role::Reached:
            return "";
    }
    __builtin_unreachable();
}

class Tree {
  public:
    Tree(const session::ExplainedRun& run, const ExplainArguments& options) : run_(run), options_(options) {}

    void print(session::ValueId value, const session::Shape& index, int depth, const std::string& indent) {
        const Explanation e = session::explain_element(run_, value, index);
        print_head(e, indent);
        print_groups(e, depth, indent + "  ");
    }

    void print_head(const Explanation& e, const std::string& indent) {
        const std::string place = place_text(e);
        const std::string name = e.name.empty() ? concat("value ", e.value) : e.name;
        std::printf("%s%s%s = %.9g  %s%s%s [%s]\n", indent.c_str(), name.c_str(), session::index_text(e.index).c_str(),
                    std::isnan(e.number) ? std::abs(e.number) : e.number, place.c_str(), place.empty() ? "" : ": ",
                    e.text.text().c_str(), std::string(session::share_kind_name(e.kind)).c_str());
        for (const Said& cause : e.causes) std::printf("%s  ! %s\n", indent.c_str(), cause.text().c_str());
        for (const Said& note : e.notes) std::printf("%s  (%s)\n", indent.c_str(), note.text().c_str());
        if (session::has_sum(e) && !options_.reach)
            std::printf("%s  sum: shares %.9g + constant %.9g + remainder %.3g = %.9g\n", indent.c_str(), e.sources,
                        e.constant, e.remainder, e.sources + e.constant + e.remainder);
    }

    void print_groups(const Explanation& e, int depth, const std::string& indent) {
        std::size_t nothing = 0;
        for (const ShareGroup& group : e.groups) {
            if (group.role == ShareGroup::Role::Source && adds_nothing(group)) {
                ++nothing;
                continue;
            }
            if (group.role == ShareGroup::Role::Constant) {
                std::printf("%s%s %s: %.6g\n", indent.c_str(), group.argument.c_str(), group.name.c_str(), group.share);
                continue;
            }
            std::printf("%s%s%s%s%s%s: %s%s\n", indent.c_str(), std::string(role_text(group.role)).c_str(),
                        group.argument.c_str(), group.name.empty() ? "" : concat(" ", group.name).c_str(),
                        box_text(group).c_str(), maker_text(group).c_str(), counted(group.count, "element").c_str(),
                        group.role == ShareGroup::Role::Source ? concat(", share ", number(group.share)).c_str() : "");
            int left = options_.most;
            for (const session::ElementShare& share : group.top) {
                if (left-- == 0) break;
                // What is reached has many sources: a share of it is of the element that was asked for.
                const bool is_reached = group.role == ShareGroup::Role::Reached;
                std::printf("%s  %s  %s%s * %s = %s\n", indent.c_str(), session::index_text(share.index).c_str(),
                            is_reached ? concat(number(share.element), ", of it ").c_str() : "",
                            number(share.coefficient).c_str(), number(is_reached ? e.number : share.element).c_str(),
                            number(share.share).c_str());
                const bool is_source = group.role == ShareGroup::Role::Source;
                if (depth > 1 && is_source && group.event != 0)
                    print(group.value, share.index, depth - 1, indent + "    ");
            }
        }
        if (nothing > 0) std::printf("%s%s of share 0\n", indent.c_str(), counted(nothing, "other source").c_str());
    }

  private:
    static std::string number(double value) { return session::short_number(value); }
    static bool adds_nothing(const ShareGroup& group) {
        return group.share == 0 &&
               std::ranges::all_of(group.top, [](const session::ElementShare& each) { return each.share == 0; });
    }
    // Of what an event made whose module tells more than the name of a value: " of #12 aten::relu in layer1".
    std::string maker_text(const ShareGroup& group) const {
        if (group.role != ShareGroup::Role::Reached || group.event == 0) return {};
        const session::Event& event = run_.recording.event(group.event);
        return concat(" of #", group.event, event.scope.empty() ? "" : concat(" in ", event.scope));
    }

    const session::ExplainedRun& run_;
    const ExplainArguments& options_;
};

// "out", "out1": a result of the run.
session::ValueId result_value(const session::Recorder& recorder, const TensorList& outputs, const std::string& name) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (name == concat("out", i) || (i == 0 && name == "out")) return recorder.find_value(outputs[i]);
    }
    return 0;
}

}  // namespace

int run_explain(const ExplainArguments& options) {
    const session::NamedElement wanted = session::parse_named_element(options.element);
    if (!options.to.empty() && options.to != "inputs")
        throw Error(ErrorKind::Usage, concat("--to ", options.to, ": only inputs"));
    const PreparedRun run = prepare_model(options.run);
    const auto recorder =
        make_recorder(run, {.statistics = true, .values = true, .opens_operators = options.run.parts});
    TensorList outputs;
    session::record(*run.program, *recorder, [&] { outputs = execute(run); });
    const session::Recording& recording = *recorder->recording();
    session::ValueId value = result_value(*recorder, outputs, wanted.value);
    if (value == 0) {
        const auto found = session::find_value(recording, session::parse_named_value(wanted.value),
                                               static_cast<session::EventId>(recording.event_count()));
        if (!found)
            throw Error(
                ErrorKind::Usage, concat("nothing recorded is called '", wanted.value, "'"),
                {.hint =
                     "out0[...], MODULE.out[...], a parameter's name, or NAME.grad[...]; run --stats lists events"});
        value = *found;
    }
    const session::ExplainedRun explained{recording, [&](session::ValueId id) { return recorder->values().find(id); },
                                          run.options.seed};
    session::Shape index = wanted.index;
    // Without an index: the element that tells most.
    if (index.empty()) {
        const Tensor t = recorder->values().find(value);
        if (t.defined() && t.numel() > 0) index = session::telling_index(t);
    }
    const auto began = std::chrono::steady_clock::now();
    Tree tree(explained, options);
    if (options.reach || !options.to.empty()) {
        const Explanation e = options.reach ? session::explain_reach(explained, value, index)
                                            : session::explain_to_inputs(explained, value, index);
        tree.print_head(e, {});
        tree.print_groups(e, 1, "  ");
    } else {
        tree.print(value, index, options.depth, {});
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    std::fflush(stdout);
    std::fprintf(stderr, "explained in %.3f s\n", seconds);
    return 0;
}

}  // namespace loupe::cli
