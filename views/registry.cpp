// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/registry.h"

#include "views/attention/attention_view.h"
#include "views/build/build_view.h"
#include "views/compare/compare_view.h"
#include "views/compile/compile_view.h"
#include "views/documentation/documentation_view.h"
#include "views/events/events_view.h"
#include "views/explain/explain_view.h"
#include "views/generation/generation_view.h"
#include "views/gradient_flow/gradient_flow_view.h"
#include "views/graph/graph_view.h"
#include "views/inputs/inputs_view.h"
#include "views/kernels/kernels_view.h"
#include "views/lines/lines_view.h"
#include "views/log/log_view.h"
#include "views/memory/memory_view.h"
#include "views/memory/plan_view.h"
#include "views/modules/modules_view.h"
#include "views/passes/passes_view.h"
#include "views/ranks/ranks_view.h"
#include "views/source/source_view.h"
#include "views/studies/studies_view.h"
#include "views/tensor/tensor_view.h"
#include "views/text/text_view.h"
#include "views/timeline/timeline_view.h"
#include "views/train/train_view.h"
#include "views/watch/watch_view.h"

namespace loupe::views {

const ViewRegistry& registry() {
    static const ViewRegistry all = [] {
        ViewRegistry registry;
        registry.add<GraphView>();
        registry.add<ModulesView>();
        registry.add<InputsView>();
        registry.add<SourceView>();
        registry.add<PassesView>();
        registry.add<LinesView>();
        registry.add<BuildView>();
        registry.add<TrainView>();
        registry.add<TextView>();
        registry.add<StudiesView>();
        registry.add<TensorView>();
        registry.add<AttentionView>();
        registry.add<ExplainView>();
        registry.add<DocumentationView>();
        registry.add<CompileView>();
        registry.add<KernelsView>();
        registry.add<EventsView>();
        registry.add<GradientFlowView>();
        registry.add<MemoryView>();
        registry.add<PlanView>();
        registry.add<TimelineView>();
        registry.add<WatchView>();
        registry.add<GenerationView>();
        registry.add<CompareView>();
        registry.add<RanksView>();
        registry.add<LogView>();
        return registry;
    }();
    return all;
}

}  // namespace loupe::views
