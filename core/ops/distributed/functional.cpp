// SPDX-License-Identifier: Apache-2.0
// _c10d_functional: collectives that return before they are done. wait_tensor waits for what a tensor comes from.

#include "core/autograd/engine.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/record.h"
#include "core/distributed/pending.h"
#include "core/distributed/world.h"
#include "core/ops/distributed/family.h"

namespace loupe::distributed_ops {
namespace {

using distributed::ProcessGroup;
using distributed::Reduction;
using distributed::WorkPtr;

// An exported program makes no group of all ranks: it is there.
ProcessGroup& group_of(const IValue& name) {
    auto& world = distributed::World::instance();
    if (ProcessGroup* group = world.find(name.to_string())) return *group;
    if (name.to_string() == "0" && world.group() == nullptr) return world.begin("undefined", std::chrono::minutes(30));
    throw Error(ErrorKind::Run,
                concat("Could not resolve the process group registered under the name ", name.to_string()));
}

Tensor plain(const IValue& value) { return detach(value.to_tensor()); }

Tensor copied(const IValue& value) {
    const Tensor from = plain(value);
    const Tensor to = empty(from.sizes(), from.dtype(), from.device());
    gradient_arithmetic().copy(to, from);
    return to;
}

Tensor with_rows(const Tensor& like, std::int64_t rows) {
    Dims sizes{rows};
    for (std::int64_t d = 1; d < like.dim(); ++d) sizes.push_back(like.size(d));
    return empty(span_of(sizes), like.dtype(), like.device());
}

void give(IValue* results, const Tensor& out, const WorkPtr& work) {
    distributed::remember_pending(out, work);
    results[0] = out;
}

void all_reduce(Arguments a, IValue* results) {
    const Tensor out = copied(a[0]);
    give(results, out, group_of(a[2]).all_reduce({out}, distributed::reduction_of(a[1].to_string())));
}

void all_reduce_in_place(Arguments a, IValue* results) {
    const Tensor out = a[0].to_tensor();
    give(results, out, group_of(a[2]).all_reduce({detach(out)}, distributed::reduction_of(a[1].to_string())));
}

void broadcast(Arguments a, IValue* results) {
    const Tensor out = copied(a[0]);
    give(results, out, group_of(a[2]).broadcast(out, static_cast<int>(a[1].to_int())));
}

void broadcast_in_place(Arguments a, IValue* results) {
    const Tensor out = a[0].to_tensor();
    give(results, out, group_of(a[2]).broadcast(detach(out), static_cast<int>(a[1].to_int())));
}

void check_size(const ProcessGroup& group, std::int64_t size) {
    if (size != group.size()) {
        throw Error(
            ErrorKind::Run,
            concat("the program was made for ", size, " ranks, and group ", group.name(), " has ", group.size()),
            {.hint = concat("start it with tensorloupe-cli run --ranks ", size)});
    }
}

void all_gather(Arguments a, IValue* results) {
    ProcessGroup& group = group_of(a[2]);
    check_size(group, a[1].to_int());
    const Tensor in = plain(a[0]);
    const Tensor out = with_rows(in, (in.dim() == 0 ? 1 : in.size(0)) * group.size());
    give(results, out, group.all_gather_into(out, in));
}

void reduce_scatter(Arguments a, IValue* results) {
    ProcessGroup& group = group_of(a[3]);
    check_size(group, a[2].to_int());
    const Tensor in = plain(a[0]);
    if (in.dim() == 0 || in.size(0) % group.size() != 0) {
        throw Error(ErrorKind::Run, concat("reduce_scatter_tensor of ", distributed::shape_text(in), " over ",
                                           group.size(), " ranks: dimension 0 does not divide"));
    }
    const Tensor out = with_rows(in, in.size(0) / group.size());
    give(results, out, group.reduce_scatter_from(out, in, distributed::reduction_of(a[1].to_string())));
}

void all_to_all(Arguments a, IValue* results) {
    const Tensor in = plain(a[0]);
    const Dims out_splits = a[1].to_ints(), in_splits = a[2].to_ints();
    std::int64_t rows = 0;
    for (const std::int64_t each : out_splits) rows += each;
    const Tensor out = with_rows(in, rows);
    give(results, out,
         group_of(a[3]).all_to_all_single(out, in, {out_splits.begin(), out_splits.end()},
                                          {in_splits.begin(), in_splits.end()}));
}

void wait_tensor(Arguments a, IValue* results) {
    distributed::wait_pending(a[0].to_tensor());
    results[0] = a[0];
}

// Never folded, merged or left out: all ranks call it.
constexpr OperatorRecord collective(std::string_view schema, std::string_view summary, KernelFunction function) {
    return {.schema = schema,
            .summary = summary,
            .composite = function,
            .is_random = true,
            .depends_on_state = true,
            .placement = Placement::Anywhere};
}

constexpr OperatorRecord kRecords[] = {
    collective("_c10d_functional::all_reduce(Tensor input, str reduce_op, str group_name) -> Tensor",
               "The reduction over all ranks of the group, on each.", all_reduce),
    collective("_c10d_functional::all_reduce_(Tensor(a!) input, str reduce_op, str group_name) -> Tensor(a!)",
               "all_reduce in place.", all_reduce_in_place),
    collective("_c10d_functional::all_gather_into_tensor(Tensor input, int group_size, str group_name) -> Tensor",
               "The inputs of all ranks one after the other, along dimension 0.", all_gather),
    collective(
        "_c10d_functional::reduce_scatter_tensor(Tensor input, str reduce_op, int group_size, str group_name) -> "
        "Tensor",
        "Of the reduction over all ranks this rank's part of dimension 0.", reduce_scatter),
    collective("_c10d_functional::all_to_all_single(Tensor input, SymInt[] output_split_sizes, SymInt[] "
               "input_split_sizes, str group_name) -> Tensor",
               "Part r of dimension 0 goes to rank r.", all_to_all),
    collective("_c10d_functional::broadcast(Tensor input, int src, str group_name) -> Tensor",
               "The input of one rank, on each.", broadcast),
    collective("_c10d_functional::broadcast_(Tensor(a!) input, int src, str group_name) -> Tensor(a!)",
               "broadcast in place.", broadcast_in_place),
    collective("_c10d_functional::wait_tensor(Tensor tensor) -> Tensor",
               "The tensor, when the collective that it comes from is done.", wait_tensor),
};

}  // namespace

std::span<const OperatorRecord> functional_records() { return kRecords; }

}  // namespace loupe::distributed_ops
