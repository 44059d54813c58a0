// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/program_archive.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/archive/raw_tensor.h"
#include "core/formats/archive/zip_reader.h"
#include "core/formats/checkpoint/checkpoint.h"
#include "core/formats/exported/program_enums.h"
#include "core/formats/pickle/pickle_values.h"
#include "core/formats/pickle/tensor_rebuild.h"

namespace loupe::exported {
namespace {

constexpr std::uint64_t kLargestJson = std::uint64_t{1} << 30;
constexpr std::string_view kPlainProgram = "serialized_exported_program.json";

// Plain values and tensors; objects that the engine has no class for are None.
class PlainValues final : public NoClasses {
  public:
    IValue make(const PickleNode&, ValueBuilder&) override {
        met_object_ = true;
        return {};
    }
    IValue make_global(const std::string&) override {
        met_object_ = true;
        return {};
    }
    bool is_typed() const override { return false; }
    bool met_object() const { return met_object_; }

  private:
    bool met_object_ = false;
};

class ArchiveReader {
  public:
    explicit ArchiveReader(const Ptr<MappedFile>& file) : zip_(file) {}

    ProgramArchive read() {
        find_layout();
        out_.program = parse_program_json(zip_.read(*program_, kLargestJson), "the program");
        read_weights();
        read_constants();
        read_sample_inputs();
        note_other_parts();
        return std::move(out_);
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
            if (program_ == nullptr || name == "model") {
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

    // A file of torch.save inside this one.
    IValue read_saved(const ZipEntry& entry, PickledClasses& classes) const {
        const std::size_t size = zip_.checked_size(entry, std::numeric_limits<std::uint64_t>::max());
        const FileHandle memory = memory_file();
        std::string bytes(size, '\0');
        zip_.read_into(entry, std::as_writable_bytes(std::span(bytes)));
        write_at(memory, 0, bytes, entry.name);
        return read_checkpoint(MappedFile::map(memory, entry.name), classes);
    }

    void read_saved_by_name(const ZipEntry& entry, bool are_constants) {
        PlainValues classes;
        const IValue saved = read_saved(entry, classes);
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
        constexpr std::string_view kWhat = "table of weights";
        const Json json = parse_program_json(zip_.read(config_entry, kLargestJson), "the table of weights");
        const Json& config = object_of(member(json, "config", kWhat), kWhat);
        ArchiveStorages storages(zip_, concat(root_, folder));
        for (const auto& [name, each] : config.items()) {
            const std::string& path = text_member(each, "path_name", kWhat);
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

    Tensor read_payload(const std::string& name, const std::string& path, const Json& config, const std::string& folder,
                        ArchiveStorages& storages) {
        const std::string what = concat("tensor ", quote_name(name));
        const ZipEntry* entry = find(concat(folder, "/", path));
        if (entry == nullptr) throw_file_error(concat("no data for ", what));
        if (const Json* pickled = find_member(config, "use_pickle", what);
            pickled != nullptr && bool_of(*pickled, what)) {
            PlainValues classes;
            const IValue value = read_saved(*entry, classes);
            if (value.is_tensor()) return value.to_tensor();
            throw Error(ErrorKind::Unsupported, concat(what, " is of a Python class, which is not supported"));
        }
        const Json& meta = member(config, "tensor_meta", what);
        const ScalarType dtype = dtype_of(int_of(member(meta, "dtype", what), what), what);
        if (const Json* layout = find_member(meta, "layout", what); layout != nullptr && int_of(*layout, what) != 7) {
            throw Error(ErrorKind::Unsupported, concat(what, " is no strided tensor, which is not supported"));
        }
        const auto sizes = sizes_of(member(meta, "sizes", what), what);
        const auto strides = sizes_of(member(meta, "strides", what), what);
        const std::int64_t offset = size_of(member(meta, "storage_offset", what), what);
        const std::uint64_t bytes = extent(sizes, strides, offset, element_size(dtype), what);
        if (entry->size == 0 && bytes > 0) return without_values(sizes, dtype);
        return tensor_on(storages.open(path, dtype, bytes), dtype, sizes, strides, offset);
    }

    // One zero that stands for all elements.
    Tensor without_values(const std::vector<std::int64_t>& sizes, ScalarType dtype) {
        ++out_.without_values;
        const Tensor zero = zeros({}, dtype);
        return tensor_on(zero.storage(), dtype, sizes, std::vector<std::int64_t>(sizes.size(), 0), 0);
    }

    static std::vector<std::int64_t> sizes_of(const Json& list, const std::string& what) {
        std::vector<std::int64_t> sizes;
        for (const Json& each : list_of(list, what)) {
            sizes.push_back(size_of(each, what));
            if (sizes.back() < 0) throw_file_error(concat(what, " has a negative size or stride"));
        }
        if (sizes.size() > 64) throw_file_error(concat(what, " has ", sizes.size(), " dimensions"));
        return sizes;
    }

    // Bytes of storage that the tensor needs.
    static std::uint64_t extent(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& strides,
                                std::int64_t offset, std::int64_t width, const std::string& what) {
        if (sizes.size() != strides.size() || offset < 0) throw_file_error(concat(what, " has no sizes and strides"));
        std::int64_t last = offset;
        std::int64_t numel = 1;
        bool is_too_large = false;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            if (sizes[i] == 0) return 0;
            std::int64_t reach = 0;
            is_too_large = is_too_large || __builtin_mul_overflow(sizes[i] - 1, strides[i], &reach) ||
                           __builtin_add_overflow(last, reach, &last) ||
                           __builtin_mul_overflow(numel, sizes[i], &numel);
        }
        std::int64_t bytes = 0;
        is_too_large = is_too_large || __builtin_add_overflow(last, 1, &last) ||
                       __builtin_mul_overflow(last, width, &bytes) || __builtin_mul_overflow(numel, width, &numel);
        if (is_too_large) throw_file_error(concat(what, " is too large"));
        return static_cast<std::uint64_t>(bytes);
    }

    // --- the rest ---

    void read_sample_inputs() {
        const ZipEntry* entry =
            is_plain_ ? find("serialized_example_inputs.pt") : find(concat("data/sample_inputs/", out_.model, ".pt"));
        if (entry == nullptr || entry->size == 0) return;
        PlainValues classes;
        try {
            const IValue inputs = read_saved(*entry, classes);
            if (!classes.met_object()) out_.sample_inputs = inputs;
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Unsupported) throw;  // inputs of a kind that the engine does not have
        }
    }

    void note_other_parts() {
        const std::string compiled = root_ + "data/aotinductor/";
        const bool has_compiled =
            std::ranges::any_of(zip_.entries(), [&](const ZipEntry& each) { return each.name.starts_with(compiled); });
        if (has_compiled) out_.notes.emplace_back("compiled code in data/aotinductor is not used");
        if (out_.without_values > 0)
            out_.notes.push_back(concat(out_.without_values, " tensors without values are zeros"));
        if (out_.models.size() > 1) {
            std::vector<std::string> others;
            std::ranges::copy_if(out_.models, std::back_inserter(others),
                                 [&](const std::string& name) { return name != out_.model; });
            out_.notes.push_back(concat(out_.model, " is open, the archive also holds ", join(others, ", ")));
        }
    }

    ZipReader zip_;
    bool is_plain_ = false;
    std::string root_;  // "archive/"; empty in the plain layout
    const ZipEntry* program_ = nullptr;
    ProgramArchive out_;
};

}  // namespace

ProgramArchive read_program_archive(const Ptr<MappedFile>& file) { return ArchiveReader(file).read(); }

}  // namespace loupe::exported
