// SPDX-License-Identifier: Apache-2.0
// Views of the whole tensor, and where autograd stops.

#include "core/autograd/variable.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/ops/samples.h"
#include "core/ops/sparse/sparse.h"
#include "core/ops/view/family.h"
#include "core/ops/view/geometry.h"

namespace loupe::views {
namespace {

ViewGeometry whole(const Tensor& self) { return geometry_of(self); }
void alias_backward(GradientContext& context) {
    context.grad("self", [&] { return context.grad_output(); });
}
Tensor detached(const Tensor& self) { return loupe::detach(self); }
void detach_in_place(Arguments arguments, IValue* results) {
    const Tensor self = arguments[0].to_tensor();
    if (AutogradMeta* meta = autograd_meta(self)) {
        if (meta->view && meta->view->is_multi_output) {
            throw Error(ErrorKind::Run,
                        "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel "
                        "(DDP) for training, and gradient_as_bucket_view is set as True, gradients are views of DDP "
                        "buckets, and hence detach_() cannot be called on these gradients.");
        }
        meta->grad_fn = nullptr;
        meta->output = 0;
        meta->requires_grad = false;
    }
    results[0] = arguments[0];
}
void requires_grad_in_place(Arguments arguments, IValue* results) {
    set_requires_grad(arguments[0].to_tensor(), arguments[1].to_bool());
    results[0] = arguments[0];
}
void set_data(Arguments arguments, IValue*) { arguments[0].to_tensor().set_metadata_from(arguments[1].to_tensor()); }
Tensor itself(const Tensor& self) { return self; }
Tensor copied(const Tensor& self) { return fn::clone(self); }

std::vector<Sample> one_sample(Random& random, ScalarType dtype) { return {{{random_tensor(random, {2, 3}, dtype)}}}; }

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::alias(Tensor(a) self) -> Tensor(a)",
     .summary = "A view of the whole tensor.",
     .infer = inferring_view<whole>,
     .kernel = viewing<whole>,
     .derivative = {alias_backward},
     .gradient = "self: grad",
     .samples = one_sample,
     .sparse = {.run = on_sparse::same}},
    {.schema = "aten::detach(Tensor(a) self) -> Tensor(a)",
     .summary = "The same elements, of which autograd knows nothing.",
     .infer = inferring_view<whole>,
     .kernel = boxed<detached>,
     .gradient = "self: none; the graph ends here",
     .samples = one_sample,
     .is_gradient_stop = true,
     .sparse = {.run = on_sparse::same}},
    {.schema = "aten::detach_(Tensor(a!) self) -> Tensor(a!)",
     .summary = "Makes autograd forget where the tensor came from.",
     .kernel = detach_in_place,
     .is_gradient_stop = true,
     .sparse = {.run = on_sparse::itself},
     .dtypes = {kAnyDtype}},
    {.schema = "prim::data(Tensor(a) a) -> Tensor(a)",
     .summary = "The same elements, of which autograd knows nothing.",
     .infer = inferring_view<whole>,
     .kernel = boxed<detached>,
     .is_gradient_stop = true},
    {.schema = "aten::data(Tensor self) -> Tensor",
     .summary = "The same elements, of which autograd knows nothing.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<detached>,
     .is_gradient_stop = true,
     .placement = Placement::Anywhere,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::set_data(Tensor(a!) self, Tensor new_data) -> ()",
     .summary = "Makes the tensor see the elements of another.",
     .kernel = set_data,
     .is_gradient_stop = true,
     .placement = Placement::Anywhere,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::requires_grad_(Tensor(a!) self, bool requires_grad=True) -> Tensor(a!)",
     .summary = "Whether autograd follows this leaf.",
     .kernel = requires_grad_in_place,
     .is_gradient_stop = true,
     .sparse = {.as_is = true},
     .dtypes = {kAnyDtype}},
    {.schema = "aten::lift(Tensor self) -> Tensor",
     .summary = "The tensor itself.",
     .composite = boxed<itself>,
     .variants = kOut},
    {.schema = "aten::lift_fresh(Tensor(a) self) -> Tensor(a)",
     .summary = "The tensor itself.",
     .composite = boxed<itself>},
    {.schema = "aten::lift_fresh_copy(Tensor self) -> Tensor",
     .summary = "A copy of the tensor.",
     .composite = boxed<copied>,
     .variants = kOut},
};

}  // namespace

std::span<const OperatorRecord> detach_records() { return kRecords; }

}  // namespace loupe::views
