// SPDX-License-Identifier: Apache-2.0
// Training data: lists sources, describes one, measures its speed.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "app/cli/commands.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/data/loader.h"
#include "core/formats/sources/source.h"
#include "core/model/data_sources.h"

namespace loupe::cli {
namespace {

void list_sources() {
    for (const session::DataSourceInfo& source : session::data_sources()) {
        std::printf("%-10s %s\n", source.name.c_str(), source.what.c_str());
        for (const session::DataOption& option : source.options) {
            const std::string value = option.default_text.empty() ? "" : concat(" [", option.default_text, "]");
            std::printf("    %-12s %s%s: %s\n", option.name.c_str(), option.form.c_str(), value.c_str(),
                        option.what.c_str());
        }
    }
}

session::DataSpec spec_of(const DataArguments& arguments) {
    session::DataSpec spec;
    spec.path = arguments.path;
    spec.source = arguments.source;
    spec.options = source_options(arguments.options);
    return spec;
}

void print_summary(const session::DataSummary& summary) {
    std::printf("%s: %s\n%lld samples of (%s)\n", summary.source.c_str(), summary.description.c_str(),
                static_cast<long long>(summary.samples), join(summary.sample, ", ").c_str());
    if (!summary.classes.empty()) {
        const std::size_t shown = std::min<std::size_t>(summary.classes.size(), 20);
        const std::vector<std::string> first(summary.classes.begin(),
                                             summary.classes.begin() + static_cast<std::ptrdiff_t>(shown));
        std::printf("classes: %s%s\n", join(first, ", ").c_str(), shown < summary.classes.size() ? ", ..." : "");
    }
    for (const std::string& note : summary.notes) std::printf("note: %s\n", note.c_str());
}

void load_all(const DataArguments& arguments, const session::DataSpec& spec) {
    const data::Source source = data::open_source({spec.source, spec.path, spec.options});
    data::LoaderOptions options;
    options.batch_size = arguments.batch;
    options.shuffle = arguments.shuffle;
    options.num_workers = arguments.workers;
    options.generator = make_ptr<MersenneTwister>(arguments.seed);
    options.on_damage = arguments.skip_damaged ? data::OnDamage::Skip : data::OnDamage::Stop;
    const auto begin = std::chrono::steady_clock::now();
    data::DataLoader loader(source.dataset, options);
    const auto batches = loader.iterate();
    std::int64_t count = 0;
    while (batches->next()) ++count;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    const auto samples = source.dataset->size() - static_cast<std::int64_t>(batches->skipped().size());
    std::printf("%lld batches, %lld samples in %s: %.0f a second\n", static_cast<long long>(count),
                static_cast<long long>(samples), format_seconds(seconds.count()).c_str(),
                static_cast<double>(samples) / std::max(seconds.count(), 1e-9));
    for (const data::SkippedSample& skipped : batches->skipped()) {
        std::printf("left out: %s\n", skipped.message.c_str());
    }
}

}  // namespace

std::map<std::string, std::string> source_options(const std::vector<std::string>& given) {
    std::map<std::string, std::string> options;
    for (const std::string& option : given) {
        const auto equals = option.find('=');
        if (equals == std::string::npos)
            throw Error(ErrorKind::Usage, concat("an option is NAME=VALUE, not '", option, "'"));
        options[option.substr(0, equals)] = option.substr(equals + 1);
    }
    return options;
}

int run_data(const DataArguments& arguments) {
    if (arguments.path.empty()) {
        list_sources();
        return 0;
    }
    const session::DataSpec spec = spec_of(arguments);
    print_summary(session::describe_data(spec));
    if (arguments.batch > 0) load_all(arguments, spec);
    return 0;
}

}  // namespace loupe::cli
