// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/compiled_package.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/archive/raw_tensor.h"
#include "core/formats/exported/saved_part.h"
#include "core/formats/exported/shared_library.h"

namespace loupe::exported {
namespace {

constexpr std::string_view kFolder = "data/aotinductor/";
constexpr std::uint64_t kLargestText = 100'000'000;
constexpr std::size_t kMostNotes = 30;

// "ROOT/data/aotinductor/MODEL/FILE" is MODEL/FILE; empty for other entries.
std::string_view compiled_name(const ZipEntry& entry) {
    const std::string_view name = entry.name;
    const std::size_t at = name.find(kFolder);
    const bool is_inside = at != std::string_view::npos && (at == 0 || name[at - 1] == '/');
    return is_inside ? name.substr(at + kFolder.size()) : std::string_view();
}
std::string_view model_of(std::string_view compiled) { return compiled.substr(0, compiled.find('/')); }

bool is_text(std::string_view name) {
    static constexpr std::string_view kEnds[] = {".cpp", ".cc", ".h", ".hpp", ".cu", ".py", ".json", ".txt", ".ptx"};
    return std::ranges::any_of(kEnds, [&](std::string_view end) { return name.ends_with(end); });
}

// One entry of the table that AOTInductor writes into the generated C++.
struct CompiledConstant {
    std::string name;
    std::optional<ScalarType> dtype;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> stride;
    std::uint64_t bytes = 0;
    bool is_computed = false;  // when the model is loaded, from other constants
};

std::optional<std::uint64_t> number_in(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc{} || end == text.data()) return std::nullopt;
    return number;
}

// "{8, 4}"
std::vector<std::int64_t> numbers_in(std::string_view text) {
    std::vector<std::int64_t> numbers;
    if (text.starts_with('{')) text.remove_prefix(1);
    for (const std::string_view each : split(text.substr(0, text.find('}')), ',')) {
        if (const auto number = number_in(each.substr(std::min(each.find_first_not_of(' '), each.size()))))
            numbers.push_back(static_cast<std::int64_t>(*number));
    }
    return numbers;
}

void set_field(CompiledConstant& constant, std::string_view field, std::string_view value) {
    constexpr std::string_view kDtype = "cached_torch_dtype_";
    if (field == "original_fqn" && value.size() >= 2) constant.name = value.substr(1, value.size() - 2);
    if (field == "dtype" && value.starts_with(kDtype)) constant.dtype = dtype_from_name(value.substr(kDtype.size()));
    if (field == "shape") constant.shape = numbers_in(value);
    if (field == "stride") constant.stride = numbers_in(value);
    if (field == "data_size") constant.bytes = number_in(value).value_or(0);
    if (field == "from_folded") constant.is_computed = value == "true";
}

// The lines "constants_info_[0].shape = {8, 4};".
std::vector<CompiledConstant> constants_in(std::string_view text) {
    constexpr std::string_view kTable = "constants_info_[";
    std::vector<CompiledConstant> constants;
    for (std::size_t at = text.find(kTable); at != std::string_view::npos; at = text.find(kTable, at)) {
        at += kTable.size();
        const std::string_view line = text.substr(at, text.find('\n', at) - at);
        const auto index = number_in(line);
        const std::size_t dot = line.find("].");
        const std::size_t equals = line.find(" = ");
        const std::size_t end = line.rfind(';');
        // The entries come in order, each as a whole.
        const bool is_entry = index && dot < equals && equals != std::string_view::npos &&
                              end != std::string_view::npos && end > equals && *index <= constants.size();
        if (!is_entry) continue;
        if (*index == constants.size()) constants.emplace_back();
        set_field(constants[*index], line.substr(dot + 2, equals - dot - 2), line.substr(equals + 3, end - equals - 3));
    }
    return constants;
}

class WeightsReader {
  public:
    explicit WeightsReader(const ZipReader& archive) : archive_(archive) {
        for (const ZipEntry& entry : archive.entries()) {
            const std::string_view name = compiled_name(entry);
            if (!name.empty()) files_[std::string(model_of(name))].push_back(&entry);
        }
    }

    CheckpointWeights read() {
        for (const auto& [model, files] : files_) read_model(model, files);
        return std::move(out_);
    }

  private:
    void read_model(const std::string& model, const std::vector<const ZipEntry*>& files) {
        prefix_ = files_.size() > 1 ? concat(model, ".") : "";
        const auto first_ending = [&](std::string_view end) {
            const auto found =
                std::ranges::find_if(files, [&](const ZipEntry* entry) { return entry->name.ends_with(end); });
            return found == files.end() ? nullptr : *found;
        };
        if (const ZipEntry* metadata = first_ending("wrapper_metadata.json")) note_machine(model, *metadata);
        if (const ZipEntry* config = first_ending("/weights_config.json")) {
            read_files(*config);
            return;
        }
        const ZipEntry* library = first_ending("wrapper.so");
        if (library == nullptr) library = first_ending(".so");
        const ZipEntry* wrapper = first_ending("wrapper.cpp");
        if (library != nullptr && wrapper != nullptr) read_library(model, *library, *wrapper);
    }

    void note(std::string text) {
        if (out_.notes.size() < kMostNotes) out_.notes.push_back(std::move(text));
    }

    void note_machine(const std::string& model, const ZipEntry& entry) {
        const JsonDocument json = parse_program_json(archive_.read(entry, kLargestText), "the metadata of the code");
        std::vector<std::string> parts;
        for (const auto& [name, value] : members_of(json.root(), "metadata")) {
            if (value.is_string() && !value.text().empty()) parts.push_back(concat(name, " ", value.text()));
        }
        if (!parts.empty()) note(concat(model, " was compiled with ", join(parts, ", ")));
    }

    // {"fc1.weight": ["weight_0", [8, 4], [4, 1], 0]}: files of torch.save, several names of one file share memory.
    void read_files(const ZipEntry& config_entry) {
        const JsonDocument config =
            parse_program_json(archive_.read(config_entry, kLargestText), "the table of weights");
        const std::string root = config_entry.name.substr(0, config_entry.name.find(kFolder));
        std::map<std::string, Tensor> read;
        for (const auto& [name, value] : members_of(config.root(), "table of weights")) {
            const std::string what = concat("tensor ", quote_name(name));
            const auto place = list_of(value, what);
            if (place.size() != 4) throw_file_error(concat(what, " has no place"));
            const std::string file(text_of(place[0], what));
            Tensor& whole = read[file];
            if (!whole.defined()) whole = saved_tensor(concat(root, "data/weights/", file), what);
            const auto sizes = plain_sizes(place[1], what);
            const auto strides = plain_sizes(place[2], what);
            const std::int64_t offset = int_of(place[3], what);
            const auto width = static_cast<std::int64_t>(element_size(whole.dtype()));
            if (storage_extent(sizes, strides, offset, width, what) > whole.storage()->bytes())
                throw_file_error(concat(what, " lies outside of its file"));
            out_.tensors.emplace_back(concat(prefix_, name),
                                      tensor_on(whole.storage(), whole.dtype(), sizes, strides, offset));
        }
    }

    static std::vector<std::int64_t> plain_sizes(const JsonValue& list, const std::string& what) {
        std::vector<std::int64_t> sizes;
        for (const JsonValue& each : list_of(list, what)) {
            sizes.push_back(int_of(each, what));
            if (sizes.back() < 0) throw_file_error(concat(what, " has a negative size or stride"));
        }
        if (sizes.size() > 64) throw_file_error(concat(what, " has ", sizes.size(), " dimensions"));
        return sizes;
    }

    Tensor saved_tensor(const std::string& path, const std::string& what) const {
        const ZipEntry* entry = archive_.find(path);
        if (entry == nullptr) throw_file_error(concat("no data for ", what));
        PlainValues classes;
        const IValue value = read_saved_part(archive_, *entry, classes);
        if (!value.is_tensor() || !value.to_tensor().storage())
            throw Error(ErrorKind::Unsupported, concat(what, " is no strided tensor, which is not supported"));
        return value.to_tensor();
    }

    // The library has them one after another, as the table in the generated code says; large ones at its end.
    void read_library(const std::string& model, const ZipEntry& library, const ZipEntry& wrapper) {
        const std::string text = archive_.read(wrapper, kLargestText);
        const auto constants = constants_in(text);
        if (constants.empty()) return;
        const Ptr<Storage> file = library_bytes(library);
        const std::span<const std::byte> bytes(static_cast<const std::byte*>(file->data()), file->bytes());
        const auto places = constant_bytes(bytes);
        if (!places) {
            note(concat("the weights of ", model, " are in ", quote_name(library.name), ", which is not read"));
            return;
        }
        std::uint64_t at = 0;
        for (const CompiledConstant& constant : constants) {
            if (constant.is_computed) continue;
            if (constant.bytes > places->size() - at)
                throw_file_error(
                    concat("the library of ", quote_name(model), " ends before ", quote_name(constant.name)));
            add_constant(constant, places->subspan(static_cast<std::size_t>(at), constant.bytes));
            at += constant.bytes;
        }
    }

    Ptr<Storage> library_bytes(const ZipEntry& entry) const {
        const std::size_t size = archive_.checked_size(entry, std::numeric_limits<std::uint64_t>::max());
        const MemoryCategoryScope scope(MemoryCategory::Parameter);
        auto storage = Storage::allocate(size);
        archive_.read_into(entry, std::span(static_cast<std::byte*>(storage->data()), size));
        return storage;
    }

    static std::optional<std::span<const std::byte>> constant_bytes(std::span<const std::byte> library) {
        const auto symbols = bytes_between(library, "_binary_constants_bin_start", "_binary_constants_bin_end");
        if (!symbols || symbols->size() != 16) return symbols;
        // Their size and a magic number, which is also the last of the file.
        ByteReader reader(*symbols, "size of the weights");
        const auto size = reader.little<std::uint64_t>();
        const auto last = library.last(8);
        const bool is_appended =
            size >= 8 && size <= library.size() && std::memcmp(last.data(), symbols->data() + 8, 8) == 0;
        return is_appended ? std::optional(library.last(static_cast<std::size_t>(size))) : symbols;
    }

    void add_constant(const CompiledConstant& constant, std::span<const std::byte> bytes) {
        if (constant.name.empty()) return;
        const std::string what = concat("tensor ", quote_name(constant.name));
        if (!constant.dtype) {
            note(concat(what, " has a dtype that no tensor of a model has"));
            return;
        }
        const auto width = static_cast<std::int64_t>(element_size(*constant.dtype));
        if (storage_extent(constant.shape, constant.stride, 0, width, what) > bytes.size())
            throw_file_error(concat(what, " is larger than its data"));
        const Ptr<Storage> storage = copy_to_storage(bytes, MemoryCategory::Parameter);
        if (*constant.dtype == ScalarType::Bool)
            normalise_bools(std::span(static_cast<std::byte*>(storage->data()), storage->bytes()));
        out_.tensors.emplace_back(prefix_ + constant.name,
                                  tensor_on(storage, *constant.dtype, constant.shape, constant.stride, 0));
    }

    const ZipReader& archive_;
    std::map<std::string, std::vector<const ZipEntry*>> files_;  // by model
    std::string prefix_;
    CheckpointWeights out_;
};

}  // namespace

bool holds_compiled_code(const ZipReader& archive) {
    return std::ranges::any_of(archive.entries(), [](const ZipEntry& entry) { return !compiled_name(entry).empty(); });
}

std::vector<std::shared_ptr<const ir::Source>> compiled_sources(const ZipReader& archive) {
    std::vector<std::shared_ptr<const ir::Source>> sources;
    std::uint64_t total = 0;
    for (const ZipEntry& entry : archive.entries()) {
        const std::string_view name = compiled_name(entry);
        if (name.empty() || !is_text(name) || entry.size > kLargestText - total) continue;
        total += entry.size;
        sources.push_back(std::make_shared<ir::Source>(archive.read(entry, kLargestText), std::string(name)));
    }
    return sources;
}

CheckpointWeights read_compiled_weights(const ZipReader& archive) { return WeightsReader(archive).read(); }

bool is_compiled_package(const ZipReader& archive) {
    if (!holds_compiled_code(archive)) return false;
    return std::ranges::none_of(archive.entries(), [](const ZipEntry& entry) {
        return entry.name.ends_with("serialized_exported_program.json") ||
               (entry.name.ends_with(".json") && entry.name.find("models/") != std::string::npos &&
                compiled_name(entry).empty());
    });
}

ModelFile read_compiled_package(const ZipReader& archive) {
    const CheckpointWeights weights = read_compiled_weights(archive);
    ModelFile model;
    model.unit = make_ptr<ir::CompilationUnit>();
    model.module = guess_module_tree(weights);
    model.format = "AOTInductor package: its code is shown and not run, modules guessed from names and shapes";
    model.sources = compiled_sources(archive);
    return model;
}

}  // namespace loupe::exported
