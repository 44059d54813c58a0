// SPDX-License-Identifier: Apache-2.0
// What a step of training sends when the model is trained on many ranks.

#include <charconv>
#include <cstdio>

#include "app/cli/commands.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/distributed/traffic.h"

namespace loupe::cli {
namespace {

using distributed::Algorithm;
using distributed::Traffic;

std::vector<int> counts_of(const std::string& text) {
    std::vector<int> out;
    for (const std::string_view part : split(text, ',')) {
        int count = 0;
        const auto [end, failure] = std::from_chars(part.data(), part.data() + part.size(), count);
        if (failure != std::errc() || end != part.data() + part.size() || count < 1 || count > 1'000'000)
            throw Error(ErrorKind::Usage, concat("--ranks: '", part, "' is no number of ranks"),
                        {.hint = "give them as 8,64,1024"});
        out.push_back(count);
    }
    return out;
}

void print_row(const std::string& what, int ranks, const Traffic& traffic) {
    std::printf("%-42s %6d %10lld %10lld %14s\n", what.c_str(), ranks, static_cast<long long>(traffic.steps),
                static_cast<long long>(traffic.messages), format_bytes(traffic.bytes).c_str());
}

Traffic sum_of(const std::vector<double>& buckets, const std::function<Traffic(double)>& of) {
    Traffic all;
    for (const double bytes : buckets) {
        const Traffic one = of(bytes);
        all.steps += one.steps;
        all.messages += one.messages;
        all.bytes += one.bytes;
    }
    return all;
}

}  // namespace

int run_plan_ranks(const RunArguments& options, const std::string& ranks) {
    const std::vector<int> counts = counts_of(ranks);
    const auto program = open_program(options);
    if (!program) throw Error(ErrorKind::File, "holds no model", {.file = options.model});
    std::vector<distributed::BucketItem> items;
    std::vector<double> groups;  // of fully_shard: a module that has parameters of its own is one
    for (const auto& [name, parameter] : program->module().named_parameters()) {
        if (requires_grad(parameter)) items.push_back(distributed::bucket_item(parameter));
    }
    for (const auto& [path, module] : program->module().named_modules()) {
        double bytes = 0;
        for (const auto& [name, parameter] : module->named_parameters({.recurse = false}))
            bytes += static_cast<double>(parameter.bytes());
        if (bytes > 0) groups.push_back(bytes);
    }
    if (items.empty()) throw Error(ErrorKind::Usage, "the model has no parameter that requires a gradient");
    const distributed::StepPlan plan = distributed::plan_step(items);
    std::printf("%zu parameters, %s of gradients in %s of %s and then %s:", items.size(),
                format_bytes(plan.bytes).c_str(),
                concat(plan.buckets.size(), plan.buckets.size() == 1 ? " bucket" : " buckets").c_str(),
                format_bytes(distributed::kFirstBucketBytes).c_str(), format_bytes(distributed::kBucketBytes).c_str());
    for (const double bytes : plan.buckets) std::printf(" %s", format_bytes(bytes).c_str());
    std::printf("\nat most %.0f%% of the bytes are under way before backward ends\n\n", 100 * plan.hidden);
    std::printf("%-42s %6s %10s %10s %14s\n", "a step, of each rank", "ranks", "steps", "messages", "bytes sent");
    for (const int count : counts) {
        for (const Algorithm algorithm :
             {Algorithm::Ring, Algorithm::RecursiveHalving, Algorithm::RecursiveDoubling, Algorithm::Tree}) {
            print_row(concat("DDP, ", algorithm_name(algorithm)), count, sum_of(plan.buckets, [&](double b) {
                          return distributed::all_reduce_traffic(algorithm, b, count);
                      }));
        }
        const Traffic ring =
            sum_of(plan.buckets, [&](double b) { return distributed::all_reduce_traffic(Algorithm::Ring, b, count); });
        const Traffic trees = distributed::zero_traffic(items, count);
        print_row("ZeRO 1, ring and broadcasts by trees", count,
                  {ring.steps + trees.steps, ring.messages + trees.messages, ring.bytes + trees.bytes});
        const Traffic gathers = sum_of(groups, [&](double b) { return distributed::gather_traffic(b, count); });
        print_row("FSDP, two gathers and a scatter by rings", count,
                  {3 * gathers.steps, 3 * gathers.messages, 3 * gathers.bytes});
    }
    return 0;
}

}  // namespace loupe::cli
