// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/program_archive.h"

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/archive/raw_tensor.h"
#include "core/formats/archive/zip_reader.h"
#include "core/formats/exported/compiled_package.h"
#include "core/formats/exported/program_enums.h"
#include "core/formats/exported/saved_part.h"
#include "core/formats/pickle/tensor_rebuild.h"

namespace loupe::exported {
namespace {

constexpr std::uint64_t kLargestJson = std::uint64_t{1} << 30;
constexpr std::string_view kPlainProgram = "serialized_exported_program.json";

class ArchiveReader {
  public:
    explicit ArchiveReader(const Ptr<MappedFile>& file, std::string_view wanted = {}) : zip_(file), wanted_(wanted) {}

    ProgramArchive read() {
        find_layout();
        std::string inflated;
        out_.document = parse_program_json(zip_.view(*program_, kLargestJson, inflated, JsonDocument::kPadding),
                                           "the program", JsonText::Padded);
        read_weights();
        read_constants();
        read_sample_inputs();
        note_other_parts();
        return std::move(out_);
    }

    std::vector<std::string> names() {
        find_layout();
        return out_.models;
    }

    std::string text() {
        find_layout();
        return zip_.read(*program_, kLargestJson);
    }

  private:
    // --- where things are ---

    void find_layout() {
        for (const ZipEntry& entry : zip_.entries()) {
            if (entry.name.ends_with(kPlainProgram)) {
                is_plain_ = true;
                root_ = entry.name.substr(0, entry.name.size() - kPlainProgram.size());
                program_ = &entry;
                out_.model = "model";
                out_.models = {"model"};
                return;
            }
        }
        for (const ZipEntry& entry : zip_.entries()) {
            const std::size_t at = entry.name.find("models/");
            const bool is_program = at != std::string::npos && (at == 0 || entry.name[at - 1] == '/') &&
                                    entry.name.ends_with(".json") && entry.name.find('/', at + 7) == std::string::npos;
            if (!is_program) continue;
            std::string name = entry.name.substr(at + 7, entry.name.size() - at - 12);
            if (wanted_.empty() ? program_ == nullptr || name == "model" : name == wanted_) {
                program_ = &entry;
                root_ = entry.name.substr(0, at);
                out_.model = name;
            }
            out_.models.push_back(std::move(name));
        }
        if (program_ == nullptr) throw_file_error("an archive without a program (models/NAME.json)");
        check_version();
    }

    void check_version() const {
        const ZipEntry* version = zip_.find(root_ + "archive_version");
        if (version == nullptr) return;
        if (const std::string text = zip_.read(*version, 64); text != "0") {
            throw Error(ErrorKind::Unsupported, concat("archive version ", quote_name(text), "; 0 is supported"));
        }
    }

    const ZipEntry* find(const std::string& name) const { return zip_.find(root_ + name); }

    // --- tensors ---

    void read_saved_by_name(const ZipEntry& entry, bool are_constants) {
        PlainValues classes;
        const IValue saved = read_saved_part(zip_, entry, classes);
        if (!saved.is_dict()) throw_file_error(concat(quote_name(entry.name), " holds no tensors by name"));
        for (const auto& [name, value] : saved.to_dict().entries()) {
            if (!name.is_string()) throw_file_error(concat("a name in ", quote_name(entry.name), " is no text"));
            if (value.is_tensor() && !are_constants) out_.weights.emplace_back(name.to_string(), value.to_tensor());
            if (are_constants) out_.constants.emplace_back(name.to_string(), value);
        }
    }

    void read_weights() {
        if (is_plain_) {
            if (const ZipEntry* entry = find("serialized_state_dict.pt")) read_saved_by_name(*entry, false);
        } else if (const ZipEntry* config = find(concat("data/weights/", out_.model, "_weights_config.json"))) {
            read_payloads(*config, "data/weights", false);
        } else if (const ZipEntry* entry = find(concat("data/weights/", out_.model, ".pt"))) {
            read_saved_by_name(*entry, false);
        }
    }

    void read_constants() {
        if (is_plain_) {
            if (const ZipEntry* entry = find("serialized_constants.pt")) read_saved_by_name(*entry, true);
        } else if (const ZipEntry* config = find(concat("data/constants/", out_.model, "_constants_config.json"))) {
            read_payloads(*config, "data/constants", true);
        } else if (const ZipEntry* entry = find(concat("data/constants/", out_.model, ".pt"))) {
            read_saved_by_name(*entry, true);
        }
    }

    void read_payloads(const ZipEntry& config_entry, const std::string& folder, bool are_constants) {
        constexpr std::string_view kTable = "table of weights";
        const JsonDocument json = parse_program_json(zip_.read(config_entry, kLargestJson), "the table of weights");
        const JsonValue& config = member(json.root(), "config", kTable);
        ArchiveStorages storages(zip_, concat(root_, folder));
        for (const auto& [key, each] : members_of(config, kTable)) {
            const std::string name(key);
            const std::string_view path = text_member(each, "path_name", kTable);
            if (!path.starts_with("weight_") && !path.starts_with("tensor_")) {  // custom_obj_0, opaque_obj_0
                out_.constants.emplace_back(name, IValue());
                continue;
            }
            Tensor tensor = read_payload(name, path, each, folder, storages);
            if (are_constants)
                out_.constants.emplace_back(name, IValue(std::move(tensor)));
            else
                out_.weights.emplace_back(name, std::move(tensor));
        }
    }

    Tensor read_payload(const std::string& name, std::string_view path, const JsonValue& config,
                        const std::string& folder, ArchiveStorages& storages) {
        const std::string what = concat("tensor ", quote_name(name));
        const ZipEntry* entry = find(concat(folder, "/", path));
        if (entry == nullptr) throw_file_error(concat("no data for ", what));
        if (const JsonValue* pickled = find_member(config, "use_pickle", what);
            pickled != nullptr && bool_of(*pickled, what)) {
            PlainValues classes;
            const IValue value = read_saved_part(zip_, *entry, classes);
            if (value.is_tensor()) return value.to_tensor();
            throw Error(ErrorKind::Unsupported, concat(what, " is of a Python class, which is not supported"));
        }
        const JsonValue& meta = member(config, "tensor_meta", what);
        const ScalarType dtype = dtype_of(int_of(member(meta, "dtype", what), what), what);
        if (const JsonValue* layout = find_member(meta, "layout", what);
            layout != nullptr && int_of(*layout, what) != 7) {
            throw Error(ErrorKind::Unsupported, concat(what, " is no strided tensor, which is not supported"));
        }
        const auto sizes = sizes_of(member(meta, "sizes", what), what);
        const auto strides = sizes_of(member(meta, "strides", what), what);
        const std::int64_t offset = size_of(member(meta, "storage_offset", what), what);
        const std::uint64_t bytes = storage_extent(sizes, strides, offset, element_size(dtype), what);
        if (entry->size == 0 && bytes > 0) return without_values(sizes, dtype);
        return tensor_on(storages.open(std::string(path), dtype, bytes), dtype, sizes, strides, offset);
    }

    // One zero that stands for all elements.
    Tensor without_values(const std::vector<std::int64_t>& sizes, ScalarType dtype) {
        ++out_.without_values;
        const Tensor zero = zeros({}, dtype);
        return tensor_on(zero.storage(), dtype, sizes, std::vector<std::int64_t>(sizes.size(), 0), 0);
    }

    // --- the rest ---

    void read_sample_inputs() {
        const ZipEntry* entry =
            is_plain_ ? find("serialized_example_inputs.pt") : find(concat("data/sample_inputs/", out_.model, ".pt"));
        if (entry == nullptr || entry->size == 0) return;
        PlainValues classes;
        try {
            const IValue inputs = read_saved_part(zip_, *entry, classes);
            if (!classes.met_object()) out_.sample_inputs = inputs;
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Unsupported) throw;  // inputs of a kind that the engine does not have
        }
    }

    void note_other_parts() {
        if (holds_compiled_code(zip_)) {
            out_.notes.emplace_back("compiled code in data/aotinductor is shown and not run");
            out_.compiled_sources = compiled_sources(zip_);
        }
        if (out_.without_values > 0)
            out_.notes.push_back(concat(out_.without_values, " tensors without values are zeros"));
    }

    ZipReader zip_;
    std::string_view wanted_;
    bool is_plain_ = false;
    std::string root_;  // "archive/"; empty in the plain layout
    const ZipEntry* program_ = nullptr;
    ProgramArchive out_;
};

}  // namespace

std::string program_json_text(const Ptr<MappedFile>& file) { return ArchiveReader(file).text(); }

ProgramArchive read_program_archive(const Ptr<MappedFile>& file, std::string_view name) {
    return ArchiveReader(file, name).read();
}

std::vector<std::string> programs_in(const Ptr<MappedFile>& file) { return ArchiveReader(file).names(); }

}  // namespace loupe::exported
