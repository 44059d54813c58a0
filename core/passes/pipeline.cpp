// SPDX-License-Identifier: Apache-2.0
#include "core/passes/pipeline.h"

#include <cctype>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::passes {
namespace {

struct Named {
    const char* name;
    const char* summary;
    const char* text;
};

constexpr Named kPipelines[] = {
    {"inline", "Calls replaced by bodies, as PyTorch shows inlined_graph.", "Inline"},
    {"compile", "What PyTorch's compiler does to every graph that it makes.",
     "ReplaceOldOperatorsWithUpgraders, ConvertToSSA, CanonicalizeModifiedLoops, NormalizeOps, LowerSimpleTuples, "
     "ConstantPropagationImmutableTypes, ConstantPooling, CanonicalizeOutputs"},
    {"cleanup", "What PyTorch runs between larger rewrites.",
     "DCE, CSE, PeepholeOptimize, ConstantPropagation, ConstantPooling"},
    {"optimize", "What PyTorch's executor does before it profiles.",
     "Inline, LowerGradOf, ClearUndefinedness, RemoveExpands, CanonicalizeOps, DCE, DecomposeOps, ConstantPropagation, "
     "DCE, CSE, "
     "ConstantPooling, PeepholeOptimize, DCE, LowerSimpleTuples, CheckInplace"},
    {"tidy", "The same without what asks for fusion afterwards: layers stay whole.",
     "Inline, DCE, ConstantPropagation, DCE, CSE, ConstantPooling, PeepholeOptimize, DCE, LowerSimpleTuples"},
    {"specialize", "What PyTorch's executor does when types are known and nothing is to be differentiated.",
     "@optimize, UnrollLoops, RemoveListMutation, PeepholeOptimize, ConstantPropagation, CSE, BatchMM, "
     "FuseTensorExprs, "
     "DCE"},
    {"autodiff",
     "What PyTorch's executor does when something is to be differentiated: groups whose backward pass is a graph.",
     "@optimize, UnrollLoops, RemoveListMutation, PeepholeOptimize, ConstantPropagation, CSE, PropagateInputShapes, "
     "CreateAutodiffSubgraphs, "
     "Differentiate, DCE"},
    {"profile", "What PyTorch's executor runs first: the graph with notes of the types that come.",
     "@optimize, PropagateInputShapes, PeelProfilingLoops, InsertProfileNodes"},
    {"profiled",
     "What PyTorch's executor makes of those: groups that run for the types that were seen, with fallbacks for others.",
     "@profile, RemoveProfileNodesAndSpecializeTypes, SpecializeAutogradZero, RemoveExpands, CanonicalizeOps, DCE, "
     "PeepholeOptimize, "
     "ConstantPropagation, DCE, CSE, PeepholeOptimize, ConstantPropagation, ConstantPooling, UnrollLoops, "
     "RemoveListMutation, PeepholeOptimize, "
     "ConstantPropagation, CSE, CheckInplace, CreateAutodiffSubgraphs, GuardDifferentiableGraphs, DCE"},
    {"profiled_no_grad", "The same where nothing is to be differentiated.",
     "@profile, RemoveProfileNodesAndSpecializeTypes, SpecializeAutogradZero, RemoveExpands, CanonicalizeOps, DCE, "
     "PeepholeOptimize, "
     "ConstantPropagation, DCE, CSE, PeepholeOptimize, ConstantPropagation, ConstantPooling, UnrollLoops, "
     "RemoveListMutation, PeepholeOptimize, "
     "ConstantPropagation, CSE, CheckInplace, LowerSimpleTuples, BatchMM, FuseTensorExprs, GuardFusionGroups, DCE"},
    {"guarded",
     "What PyTorch's executor made of notes before it had fallbacks: guards, and the graph as it was to go on with "
     "where one fails.",
     "@profile, EraseShapeInformation, InsertGuards, EliminateRedundantGuards, InsertBailOuts, SpecializeAutogradZero, "
     "RemoveExpands, CanonicalizeOps, DCE, PeepholeOptimize, "
     "ConstantPropagation, DCE, CSE, PeepholeOptimize, ConstantPropagation, ConstantPooling, CheckInplace"},
    {"fold", "Layers folded into the convolution or linear layer before them.",
     "removeDropout, fixpoint(FoldConvBatchnorm, FoldConvAddOrSub, FoldConvMulOrDiv, FoldLinearBatchnorm)"},
    {"freeze", "torch.jit.freeze: attributes become constants, then what they decide.",
     "Inline, FreezeAttributes, ConstantPropagation, DCE, FreezeAttributes, @cleanup, UnrollConstantLoops, "
     "RemoveListMutation, "
     "PeepholeOptimize, ConstantPropagation, CSE, EliminateNoOps, LowerSimpleTuples, @fold, ConstantPooling, DCE"},
    {"inference", "For results alone, the fastest: frozen, layers folded, images with channels last, chains fused.",
     "@freeze, @tidy, RemoveTensorMutation, SplitAppendedLists, ConvertFrozenOpsToMKLDNN, DecomposeFrozenBatchNorm, "
     "DCE, FuseLinearActivations, FuseFrozenConvAddRelu, FuseTensorExprs"},
    {"reduce_overhead",
     "The same as programs for the inputs' shapes: memory planned, kernels with their arguments in place.",
     "@inference, FuseStaticSubgraphs"},
    {"optimize_for_inference", "What PyTorch's function of the name does after freezing.",
     "@freeze, RemoveTensorMutation, ConvertFrozenOpsToMKLDNN, FrozenLinearTranspose"},
    {"mobile", "What optimize_for_mobile does to graphs, without kernels of phones.",
     "@freeze, TransformConv1dToConv2d, PeepholeOptimize, ConstantPropagation, removeDropout, FuseAddRelu, "
     "ConstantPooling, DCE"},
    {"train", "For training: parameters stay, and every gradient is what it was.",
     "@tidy, EliminateNoOps, ConstantPooling, DCE"},
    {"train_fused",
     "The same with pointwise operators fused, in the backward pass too: layers that have one become graphs forward "
     "and back.",
     "@train, CreateAutodiffSubgraphs"},
};

class StepParser {
  public:
    explicit StepParser(std::string_view text) : text_(text) {}

    std::vector<Step> parse() {
        std::vector<Step> steps = parse_list();
        if (at_ < text_.size()) fail("a comma or the end");
        return steps;
    }

  private:
    static constexpr int kDeepest = 32;

    std::vector<Step> parse_list() {
        std::vector<Step> steps;
        do {
            skip_spaces();
            if (at_ == text_.size() || text_[at_] == ')') break;
            steps.push_back(parse_step());
        } while (accept(','));
        return steps;
    }

    Step parse_step() {
        Step step;
        if (accept('@')) step.kind = Step::Kind::Pipeline;
        const std::size_t begin = at_;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
            ++at_;
        step.name = text_.substr(begin, at_ - begin);
        if (step.name.empty()) fail("the name of a pass");
        if (step.name == "fixpoint" && accept('(')) {
            if (++depth_ > kDeepest) fail("fewer nested groups");
            step.kind = Step::Kind::Fixpoint;
            step.steps = parse_list();
            if (!accept(')')) fail("')'");
            --depth_;
            return step;
        }
        const bool known = step.kind == Step::Kind::Pass ? find_pass(step.name) != nullptr : is_pipeline(step.name);
        if (!known) {
            throw Error(ErrorKind::Usage, concat("there is no ", step.kind == Step::Kind::Pass ? "pass" : "pipeline",
                                                 " '", step.name, "'"));
        }
        return step;
    }

    // By name only: the pipelines may be under construction.
    static bool is_pipeline(std::string_view name) {
        for (const Named& named : kPipelines) {
            if (named.name == name) return true;
        }
        return false;
    }

    void skip_spaces() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    }
    bool accept(char c) {
        skip_spaces();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    [[noreturn]] void fail(const char* expected) const {
        throw Error(ErrorKind::Usage, concat("pipeline \"", text_, "\": expected ", expected, " at ", at_));
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace

std::vector<Step> parse_steps(std::string_view text) { return StepParser(text).parse(); }

std::string steps_text(std::span<const Step> steps) {
    std::string out;
    for (const Step& step : steps) {
        if (!out.empty()) out += ", ";
        switch (step.kind) {
            case Step::Kind::Pass:
                out += step.name;
                break;
            case Step::Kind::Pipeline:
                out += concat("@", step.name);
                break;
            case Step::Kind::Fixpoint:
                out += concat("fixpoint(", steps_text(step.steps), ")");
                break;
        }
    }
    return out;
}

std::span<const Pipeline> named_pipelines() {
    static const std::vector<Pipeline> pipelines = [] {
        std::vector<Pipeline> made;
        for (const Named& named : kPipelines) made.push_back({named.name, named.summary, parse_steps(named.text)});
        return made;
    }();
    return pipelines;
}

const Pipeline* find_pipeline(std::string_view name) {
    for (const Pipeline& pipeline : named_pipelines()) {
        if (pipeline.name == name) return &pipeline;
    }
    return nullptr;
}

Pipeline pipeline_of(std::string_view name_or_text) {
    if (const Pipeline* named = find_pipeline(name_or_text)) return *named;
    return {std::string(name_or_text), {}, parse_steps(name_or_text)};
}

}  // namespace loupe::passes
