// SPDX-License-Identifier: Apache-2.0
// Where zlib has no room for its window: not a damaged file.

#include <dlfcn.h>
#include <zlib.h>

#include <new>

#include "core/formats/archive/byte_reader.h"
#include "core/formats/archive/gzip.h"
#include "core/formats/archive/zip_reader.h"
#include "core/formats/format_registry.h"
#include "core/formats/sources/file_bytes.h"
#include "tests/formats/formats_test.h"

namespace {

bool has_room = true;

}  // namespace

// Before the library's own.
extern "C" int inflate(z_stream* stream, int flush) {
    static const auto next = reinterpret_cast<int (*)(z_stream*, int)>(::dlsym(RTLD_NEXT, "inflate"));
    return has_room ? next(stream, flush) : Z_MEM_ERROR;
}

using namespace loupe;

class TestZipMemory : public QObject {
    Q_OBJECT

    Scratch scratch_;

    std::string gzip_file() {
        std::string packed(200, '\0');
        z_stream stream{};
        deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
        std::string text = "1,2\n3,4\n5,6\n7,8\n9,10\n";
        stream.next_in = reinterpret_cast<Bytef*>(text.data());
        stream.avail_in = static_cast<uInt>(text.size());
        stream.next_out = reinterpret_cast<Bytef*>(packed.data());
        stream.avail_out = static_cast<uInt>(packed.size());
        deflate(&stream, Z_FINISH);
        packed.resize(stream.total_out);
        deflateEnd(&stream);
        return packed;
    }

  private slots:
    void cleanup() { has_room = true; }

    void of_an_entry() {
        const ZipReader reader(MappedFile::open(fixture("models/mlp.pt")));
        const ZipEntry* code = reader.find("mlp/code/__torch__/torch/nn/modules/linear.py");
        QVERIFY(code != nullptr && !code->is_stored());
        has_room = false;
        QVERIFY_EXCEPTION_THROWN(reader.read(*code, 1000), std::bad_alloc);
        has_room = true;
        QVERIFY(reader.read(*code, 1000).starts_with("class Linear(Module):\n"));
    }
    void of_gzip() {
        const std::string packed = gzip_file();
        has_room = false;
        QVERIFY_EXCEPTION_THROWN(inflate_gzip(std::as_bytes(std::span(packed)), 1000), std::bad_alloc);
        const auto path = scratch_.write("numbers.csv.gz", packed);
        QVERIFY_EXCEPTION_THROWN(data::FileBytes{path}, std::bad_alloc);
        has_room = true;
        QCOMPARE(as_text(data::FileBytes(path).bytes()).substr(0, 4), std::string_view("1,2\n"));
    }
    void of_a_model() {
        has_room = false;
        const std::string said = error_of([] { open_model(fixture("models/mlp.pt")); });
        QVERIFY2(said.find("needs more memory than there is") != std::string::npos, said.c_str());
    }
};

QTEST_GUILESS_MAIN(TestZipMemory)
#include "test_zip_memory.moc"
