// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/case_archive.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/zip_reader.h"

namespace loupe::conformance {
namespace {

constexpr std::uint64_t kEntryLimit = 256ULL << 20;

std::filesystem::path make_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "loupe-cases-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        throw Error(ErrorKind::File, "no temporary folder could be made", {.file = name});
    return name;
}

std::vector<CaseEntry> parse_index(const std::string& text, bool& is_of_modules) {
    std::vector<CaseEntry> cases;
    for (const auto& item : nlohmann::json::parse(text)) {
        CaseEntry entry;
        entry.k = item.at("k").get<int>();
        entry.dtype = item.value("dtype", "");
        entry.dtypes_in = item.value("dtypes_in", std::vector<std::string>());
        entry.mode = item.value("mode", "");
        is_of_modules = is_of_modules || item.contains("module");
        cases.push_back(std::move(entry));
    }
    return cases;
}

}  // namespace

CaseArchive::CaseArchive(const std::filesystem::path& zip) : folder_(make_folder()) {
    try {
        const ZipReader reader(MappedFile::open(zip));
        for (const ZipEntry& entry : reader.entries()) {
            const std::string contents = reader.read(entry, kEntryLimit);
            if (entry.name == "index.json")
                cases_ = parse_index(contents, is_of_modules_);
            else if (entry.name.find('/') == std::string::npos)
                write_file_atomically(folder_ / entry.name, contents);
        }
    } catch (...) {
        std::filesystem::remove_all(folder_);
        throw;
    }
}

CaseArchive::~CaseArchive() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::filesystem::path CaseArchive::file(const CaseEntry& entry, const std::string& part) const {
    return folder_ / concat(entry.k, ".", part);
}

std::filesystem::path CaseArchive::program(const CaseEntry& entry) const {
    const std::filesystem::path exported = file(entry, "pt2");
    return std::filesystem::exists(exported) ? exported : file(entry, "pt");
}

NamedTensors CaseArchive::arrays(const CaseEntry& entry, const std::string& part) const {
    return read_npz(file(entry, part));
}

Tensor find_array(const NamedTensors& arrays, const std::string& name) {
    for (const auto& [own, array] : arrays) {
        if (own == name) return array;
    }
    return {};
}

}  // namespace loupe::conformance
