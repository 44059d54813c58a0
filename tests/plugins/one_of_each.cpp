// SPDX-License-Identifier: Apache-2.0
// A plugin that fills the registries that plugins/example leaves alone. Built several times: as it is, with one of its
// things alone (LOUPE_ONLY, which is there already when the whole one is loaded), and for another interface.
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/plugin/plugin.h"

namespace {

using namespace loupe;

FormatReader greeting_format() {
    return {"greeting",
            {".hello"},
            [](const Ptr<MappedFile>& file) { return file->path().extension() == ".hello"; },
            [](const Ptr<MappedFile>&) -> ModelFile { throw Error(ErrorKind::File, "a greeting holds no model"); }};
}

FormatWriter greeting_writer() {
    return {"greeting", {".hello"}, [](const WriteRequest&, const WrittenFiles&) {}};
}

constexpr passes::Pass kNothing{"one_of_each.Nothing", "Changes nothing.",
                                [](ir::Graph&, const passes::PassContext&) {}};

Ptr<const runtime::FusedKernel> decline(const runtime::FusedExpression&, const std::vector<bool>&, std::string* why) {
    if (why != nullptr) *why = "it declines every group";
    return nullptr;
}

#ifdef LOUPE_ONLY
constexpr std::string_view kOnly = LOUPE_ONLY;
#else
constexpr std::string_view kOnly;
#endif

void register_all(const PluginRegistries& registries) {
    if (kOnly.empty() || kOnly == "format") registries.add_format(greeting_format());
    if (kOnly.empty() || kOnly == "writer") registries.add_writer(greeting_writer());
    if (kOnly.empty() || kOnly == "pass") registries.add_pass(kNothing);
    if (kOnly.empty() || kOnly == "fuser") registries.add_fuser({"declining", &decline});
}

#ifdef LOUPE_OTHER_INTERFACE
constexpr std::uint32_t kBuiltFor = kPluginInterface + 1;
#else
constexpr std::uint32_t kBuiltFor = kPluginInterface;
#endif

}  // namespace

LOUPE_PLUGIN_EXPORT const PluginTable* loupe_plugin() {
    static constexpr PluginTable kTable{kBuiltFor, "one of each", "Adds a format, a writer, a pass and a fuser.", "",
                                        register_all};
    return &kTable;
}
