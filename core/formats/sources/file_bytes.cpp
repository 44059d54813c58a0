// SPDX-License-Identifier: Apache-2.0
#include "core/formats/sources/file_bytes.h"

#include <algorithm>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/inflate_stream.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"

namespace loupe::data {
namespace {

constexpr std::size_t kMostBytes = std::size_t{8} << 30;
constexpr std::size_t kPiece = std::size_t{1} << 20;

class Inflater {
  public:
    explicit Inflater(std::span<const std::byte> packed) : rest_(packed) {}

    enum class State { More, Ended, Truncated, Damaged };
    // Appends a piece.
    State step(std::vector<std::byte>& out) {
        if (stream_->avail_in == 0) feed();
        const std::size_t before = out.size();
        out.resize(before + kPiece);
        stream_->next_out = reinterpret_cast<Bytef*>(out.data() + before);
        stream_->avail_out = static_cast<uInt>(kPiece);
        const int status = stream_.inflate();
        out.resize(before + kPiece - stream_->avail_out);
        if (status == Z_STREAM_END) return next_member() ? State::More : State::Ended;
        if (status == Z_BUF_ERROR && stream_->avail_in == 0 && rest_.empty()) return State::Truncated;
        return status == Z_OK || status == Z_BUF_ERROR ? State::More : State::Damaged;
    }

  private:
    void feed() {
        const std::size_t count = std::min(rest_.size(), kPiece);
        stream_->next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(rest_.data()));
        stream_->avail_in = static_cast<uInt>(count);
        rest_ = rest_.subspan(count);
    }
    // gzip files may have several members.
    bool next_member() {
        if (stream_->avail_in == 0 && rest_.empty()) return false;
        return stream_.reset();
    }

    std::span<const std::byte> rest_;
    InflateStream stream_{16 + MAX_WBITS};
};

}  // namespace

FileBytes::FileBytes(const std::filesystem::path& path) : path_(path), mapped_(MappedFile::open(path)) {
    bytes_ = mapped_->bytes();
    if (as_text(bytes_).starts_with("\x1f\x8b")) unpack(bytes_);
}

void FileBytes::unpack(std::span<const std::byte> packed) {
    Inflater inflater(packed);
    while (true) {
        check_cancelled();
        const Inflater::State state = inflater.step(unpacked_);
        if (state == Inflater::State::Damaged) throw_file_error("damaged gzip stream", path_.string());
        if (unpacked_.size() > kMostBytes)
            throw_file_error(concat("unpacks to more than ", kMostBytes, " bytes"), path_.string());
        is_truncated_ = state == Inflater::State::Truncated;
        if (state != Inflater::State::More) break;
    }
    mapped_ = nullptr;
    bytes_ = unpacked_;
}

}  // namespace loupe::data
