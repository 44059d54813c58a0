// SPDX-License-Identifier: Apache-2.0
// IDX files, the format of MNIST and its variants: a header with type and sizes, then big-endian elements; .gz or not.
#include <algorithm>
#include <array>
#include <cstring>

#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/sources/file_bytes.h"
#include "core/formats/sources/image_options.h"
#include "core/formats/sources/source_list.h"

namespace loupe::data {
namespace {

namespace fs = std::filesystem;

struct IdxType {
    std::uint8_t code;
    ScalarType dtype;
};
constexpr std::array<IdxType, 6> kTypes{{
    {0x08, ScalarType::UInt8},
    {0x09, ScalarType::Int8},
    {0x0b, ScalarType::Int16},
    {0x0c, ScalarType::Int32},
    {0x0d, ScalarType::Float32},
    {0x0e, ScalarType::Float64},
}};

// One file: records along the first dimension.
class IdxFile : public RefCounted {
  public:
    explicit IdxFile(const fs::path& path) : file_(make_ptr<FileBytes>(path)) {
        ByteReader reader(file_->bytes(), "IDX file");
        try {
            read_header(reader);
        } catch (Error& error) {
            error.add_context({.file = path.string()});
            throw;
        }
        data_ = file_->bytes().subspan(reader.position());
    }

    std::int64_t count() const { return count_; }
    // Records that are there to their last byte.
    std::int64_t whole() const {
        return record_bytes_ == 0 ? count_ : std::min(count_, static_cast<std::int64_t>(data_.size() / record_bytes_));
    }
    ScalarType dtype() const { return dtype_; }
    const Dims& record_sizes() const { return sizes_; }
    std::string name() const { return file_->path().filename().string(); }

    Tensor record(std::int64_t index) const {
        if (index >= whole()) {
            throw_file_error(concat("record ", index, " of ", count_, ": truncated: the file ends after ", whole(),
                                    " whole records"),
                             file_->path().string());
        }
        const Tensor out = empty(span_of(sizes_), dtype_);
        const auto from = data_.subspan(static_cast<std::size_t>(index) * record_bytes_, record_bytes_);
        auto* to = static_cast<std::byte*>(out.raw_data());
        const auto width = static_cast<std::size_t>(element_size(dtype_));
        if (!from.empty()) std::memcpy(to, from.data(), from.size());
        for (std::size_t i = 0; width > 1 && i < from.size(); i += width) std::reverse(to + i, to + i + width);
        return out;
    }
    std::int64_t label(std::int64_t index) const { return item(record(index)).to<std::int64_t>(); }

  private:
    void read_header(ByteReader& reader) {
        if (reader.big<std::uint16_t>() != 0) throw_file_error("no IDX file: it does not begin with two zero bytes");
        const auto code = reader.big<std::uint8_t>();
        const auto* type = std::ranges::find(kTypes, code, &IdxType::code);
        if (type == kTypes.end()) throw_file_error(concat("IDX file with elements of unknown type ", int{code}));
        dtype_ = type->dtype;
        const auto dimensions = reader.big<std::uint8_t>();
        if (dimensions == 0 || dimensions > 8) throw_file_error(concat("IDX file of ", int{dimensions}, " dimensions"));
        count_ = reader.big<std::uint32_t>();
        std::uint64_t bytes = static_cast<std::uint64_t>(element_size(dtype_));
        for (int d = 1; d < dimensions; ++d) {
            const auto size = reader.big<std::uint32_t>();
            sizes_.push_back(size);
            if (size != 0 && bytes > (std::uint64_t{1} << 32) / size)
                throw_file_error("IDX file with records of more than 4 GiB");
            bytes *= size;
        }
        record_bytes_ = static_cast<std::size_t>(bytes);
    }

    Ptr<FileBytes> file_;
    ScalarType dtype_ = ScalarType::UInt8;
    std::int64_t count_ = 0;
    Dims sizes_;
    std::size_t record_bytes_ = 0;
    std::span<const std::byte> data_;
};

bool is_image(const IdxFile& file) { return file.dtype() == ScalarType::UInt8 && file.record_sizes().size() >= 2; }

// [H, W] as [1, H, W].
Tensor with_channel(const Tensor& image) {
    if (image.dim() != 2) return image;
    const std::array<std::int64_t, 3> sizes{1, image.size(0), image.size(1)};
    return image.view_as_strided(sizes, span_of(contiguous_strides(sizes)), 0);
}

class IdxDataset final : public Dataset {
  public:
    IdxDataset(Ptr<IdxFile> inputs, Ptr<IdxFile> labels, const SourceOptions& options)
        : inputs_(std::move(inputs)), labels_(std::move(labels)), pipeline_(options) {}
    std::int64_t size() const override { return inputs_->count(); }
    IValue get(std::int64_t index) const override {
        Tensor input = inputs_->record(index);
        if (is_image(*inputs_)) input = pipeline_.apply(with_channel(input));
        std::vector<IValue> sample{IValue(std::move(input))};
        if (labels_) sample.emplace_back(labels_->label(index));
        return make_ptr<TupleObject>(std::move(sample));
    }
    std::string place_of(std::int64_t index) const override { return concat(inputs_->name(), ", record ", index); }

  private:
    Ptr<IdxFile> inputs_;
    Ptr<IdxFile> labels_;  // null: none
    ImagePipeline pipeline_;
};

void note_missing(const IdxFile& file, Source& source) {
    if (file.whole() == file.count()) return;
    source.notes.push_back(
        concat(file.name(), " is truncated: ", file.whole(), " of ", file.count(), " records are whole"));
}

Source make_source(const Ptr<IdxFile>& inputs, const Ptr<IdxFile>& labels, const SourceOptions& options) {
    Source source;
    if (labels) {
        if (!labels->record_sizes().empty())
            throw Error(ErrorKind::File, concat(labels->name(), " holds no labels: its records have sizes"));
        if (labels->count() != inputs->count()) {
            throw Error(ErrorKind::File, concat(inputs->name(), " has ", inputs->count(), " records, ", labels->name(),
                                                " has ", labels->count()));
        }
        note_missing(*labels, source);
        std::int64_t largest = -1;
        for (std::int64_t i = 0; i < labels->whole(); ++i) largest = std::max(largest, labels->label(i));
        for (std::int64_t c = 0; c <= largest && largest < 1000; ++c) source.classes.push_back(std::to_string(c));
    }
    note_missing(*inputs, source);
    source.description = concat(counted(inputs->count(), is_image(*inputs) ? "image" : "record"), " of ",
                                shape_text(span_of(inputs->record_sizes())));
    if (!source.classes.empty()) source.description += concat(", ", counted(source.classes.size(), "class", "classes"));
    source.dataset = make_ptr<IdxDataset>(inputs, labels, options);
    return source;
}

// The file, or the same with ".gz"; empty when neither is there. Some copies have "train-images.idx3-ubyte".
fs::path find_part(const fs::path& folder, std::string name) {
    std::error_code ignored;
    const auto dot = name.rfind("-idx");
    std::string dotted = name;
    dotted[dot] = '.';
    for (const std::string& each : {name, dotted}) {
        for (const char* ending : {"", ".gz"}) {
            fs::path path = folder / (each + ending);
            if (fs::is_regular_file(path, ignored)) return path;
        }
    }
    return {};
}

fs::path need_part(const fs::path& folder, const std::string& name) {
    fs::path path = find_part(folder, name);
    if (path.empty())
        throw Error(ErrorKind::Usage, concat("no ", name, " or ", name, ".gz in the folder"),
                    {.file = folder.string()});
    return path;
}

constexpr auto kMnistOptions = with_image_options(std::array<SourceOption, 1>{{
    {"split", "train|test", "train", "which part"},
}});

bool accepts_mnist(const fs::path& path) {
    return !find_part(path, "train-images-idx3-ubyte").empty() || !find_part(path, "t10k-images-idx3-ubyte").empty();
}

Source open_mnist(const fs::path& path, const SourceOptions& options) {
    const std::string prefix = options.choice("split") == "train" ? "train" : "t10k";
    const auto images = make_ptr<IdxFile>(need_part(path, prefix + "-images-idx3-ubyte"));
    const auto labels = make_ptr<IdxFile>(need_part(path, prefix + "-labels-idx1-ubyte"));
    return make_source(images, labels, options);
}

constexpr auto kIdxOptions = with_image_options(std::array<SourceOption, 1>{{
    {"labels", "the path of an IDX file", "", "one number a record; relative to the folder of the inputs"},
}});

bool accepts_idx(const fs::path& path) {
    std::error_code ignored;
    const std::string name = path.filename().string();
    const bool is_named = name.find("-ubyte") != std::string::npos || path.extension() == ".idx" ||
                          name.find(".idx") != std::string::npos;
    return is_named && fs::is_regular_file(path, ignored);
}

Source open_idx(const fs::path& path, const SourceOptions& options) {
    Ptr<IdxFile> labels;
    if (options.is_set("labels")) labels = make_ptr<IdxFile>(path.parent_path() / options.text("labels"));
    return make_source(make_ptr<IdxFile>(path), labels, options);
}

const SourceRecord kRecords[] = {
    {"mnist", "a folder with MNIST's four IDX files, .gz or not", kMnistOptions, accepts_mnist, open_mnist},
    {"idx", "one IDX file, .gz or not", kIdxOptions, accepts_idx, open_idx},
};

}  // namespace

std::span<const SourceRecord> idx_sources() { return kRecords; }

}  // namespace loupe::data
