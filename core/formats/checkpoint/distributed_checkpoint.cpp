// SPDX-License-Identifier: Apache-2.0
#include "core/formats/checkpoint/distributed_checkpoint.h"

#include <algorithm>
#include <map>
#include <span>

#include "core/autograd/grad_mode.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/checkpoint/checkpoint.h"
#include "core/formats/checkpoint/distributed_metadata.h"
#include "core/formats/pickle/pickle_values.h"

namespace loupe {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMetadata = ".metadata";
constexpr std::size_t kMostNotes = 30;

// The files of the folder, each opened once.
class Files {
  public:
    explicit Files(fs::path folder) : folder_(std::move(folder)) {}

    Ptr<MappedFile> part(const StoredPlace& place, const std::string& name) {
        Ptr<MappedFile>& whole = opened_[place.file];
        std::error_code failed;
        if (!whole && !fs::exists(folder_ / place.file, failed))
            throw_file_error(concat(quote_name(place.file), " is missing, which has a part of ", quote_name(name)));
        if (!whole) whole = MappedFile::open(folder_ / place.file);
        return part_of(*whole, place);
    }

  private:
    // A copy: the reader of archives takes a whole file.
    static Ptr<MappedFile> part_of(const MappedFile& whole, const StoredPlace& place) {
        const std::size_t size = whole.bytes().size();
        if (place.offset > size || place.bytes > size - place.offset)
            throw_file_error(concat("truncated: ", place.bytes, " bytes at byte ", place.offset, " of ", size),
                             whole.path().string());
        const auto bytes = std::span<const std::byte>(whole.bytes())
                               .subspan(static_cast<std::size_t>(place.offset), static_cast<std::size_t>(place.bytes));
        const FileHandle file = memory_file();
        write_at(file, 0, as_text(bytes), whole.path());
        return MappedFile::map(file, whole.path());
    }

    fs::path folder_;
    std::map<std::string, Ptr<MappedFile>> opened_;
};

Tensor read_block(const StoredTensor& tensor, const StoredBlock& block, Files& files) {
    check_cancelled();
    NoClasses classes;
    const IValue value = read_checkpoint(files.part(block.place, tensor.name), classes);
    if (!value.is_tensor() || value.to_tensor().is_sparse())
        throw_file_error(concat("a part of ", quote_name(tensor.name), " is no tensor"), block.place.file);
    Tensor t = value.to_tensor();
    const bool fits = t.dtype() == *tensor.dtype && std::ranges::equal(t.sizes(), block.sizes);
    if (!fits)
        throw_file_error(
            concat("a part of ", quote_name(tensor.name), " is torch.", dtype_name(t.dtype()), " of ",
                   shape_list_text(t.sizes()), ", not ", tensor.dtype_name, " of ", shape_list_text(block.sizes)),
            block.place.file);
    return t;
}

Tensor read_tensor(const StoredTensor& tensor, Files& files) {
    if (tensor.blocks.size() == 1) return read_block(tensor, tensor.blocks.front(), files);
    const auto width = static_cast<std::uint64_t>(element_size(*tensor.dtype));
    for (const StoredBlock& block : tensor.blocks) {  // before memory is allocated for them
        std::uint64_t bytes = width;
        for (const std::int64_t size : block.sizes) bytes *= static_cast<std::uint64_t>(size);
        if (bytes > block.place.bytes)
            throw_file_error(concat("a part of ", quote_name(tensor.name), " takes ", bytes, " bytes, the file has ",
                                    block.place.bytes),
                             block.place.file);
    }
    const GradModeScope no_grad(false);
    const MemoryCategoryScope category(MemoryCategory::Parameter);
    Tensor whole = empty(tensor.sizes, *tensor.dtype);
    for (const StoredBlock& block : tensor.blocks) {
        Tensor place = whole;
        for (std::size_t d = 0; d < block.sizes.size(); ++d)
            place = fn::narrow(place, static_cast<std::int64_t>(d), block.offsets[d], block.sizes[d]);
        fn::copy_(place, read_block(tensor, block, files));
    }
    return whole;
}

IValue key_of(const std::variant<std::string, std::int64_t>& key) {
    return std::visit([](const auto& value) { return IValue(value); }, key);
}

Ptr<DictObject> new_dict() { return make_ptr<DictObject>(types::any(), types::any()); }

// Into the nested dicts, where the path leads; under its own name where it has none, or something stands in the way.
void place_value(DictObject& root, const std::string& name, const std::map<std::string, StoredPath>& paths,
                 const IValue& value) {
    const auto path = paths.find(name);
    DictObject* at = &root;
    for (std::size_t i = 0; path != paths.end() && i + 1 < path->second.size(); ++i) {
        const IValue key = key_of(path->second[i]);
        const IValue* held = at->find(key);
        if (held != nullptr && !held->is_dict()) return root.set(name, value);
        if (held == nullptr) {
            at->set(key, new_dict());
            held = at->find(key);
        }
        at = &held->to_dict();
    }
    at->set(path == paths.end() ? IValue(name) : key_of(path->second.back()), value);
}

void read_values(const DistributedMetadata& metadata, Files& files, PickledClasses& classes, DictObject& root,
                 std::vector<std::string>& notes) {
    for (const StoredValue& each : metadata.values) {
        try {
            place_value(root, each.name, metadata.paths, read_checkpoint(files.part(each.place, each.name), classes));
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Unsupported) throw;
            if (notes.size() < kMostNotes) notes.push_back(concat(quote_name(each.name), ": ", error.message()));
        }
    }
}

DistributedCheckpoint read(const fs::path& folder, PickledClasses& classes) {
    const auto file = MappedFile::open(folder / kMetadata);
    const DistributedMetadata metadata = parse_distributed_metadata(file->bytes());
    Files files(folder);
    DistributedCheckpoint out;
    const Ptr<DictObject> root = new_dict();
    for (const StoredTensor& tensor : metadata.tensors) {
        if (tensor.dtype) {
            place_value(*root, tensor.name, metadata.paths, read_tensor(tensor, files));
        } else if (out.notes.size() < kMostNotes) {
            out.notes.push_back(concat(quote_name(tensor.name), " is ", tensor.dtype_name, " of ",
                                       shape_list_text(tensor.sizes), ", which is not supported: it was left out"));
        }
    }
    read_values(metadata, files, classes, *root, out.notes);
    out.value = root;
    return out;
}

}  // namespace

bool is_distributed_checkpoint(const fs::path& folder) {
    std::error_code failed;
    return fs::is_regular_file(folder / kMetadata, failed);
}

std::vector<fs::path> files_of_distributed_checkpoint(const fs::path& folder) {
    std::vector<fs::path> files{folder / kMetadata};
    std::error_code failed;
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
        if (at->path().extension() == ".distcp") files.push_back(at->path());
    }
    return files;
}

DistributedCheckpoint read_distributed_checkpoint(const fs::path& folder, PickledClasses& classes) {
    try {
        return read(folder, classes);
    } catch (Error& error) {
        error.add_context({.file = folder.string()});
        throw;
    }
}

}  // namespace loupe
