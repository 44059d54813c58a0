// SPDX-License-Identifier: Apache-2.0
#include "core/formats/archive/zip_writer.h"
#include "core/formats/numpy/npy.h"
#include "core/formats/pickle/tensor_rebuild.h"
#include "tests/formats/formats_test.h"

using namespace loupe;
using namespace std::string_literals;

namespace {

std::string text(std::string_view value) {
    std::string out = "X"s + static_cast<char>(value.size()) + "\0\0\0"s;
    return out.append(value);
}
std::string integer(std::int64_t value) {
    std::string out = "\x8a\x08";
    for (int i = 0; i < 8; ++i) out += static_cast<char>((static_cast<std::uint64_t>(value) >> (8 * i)) & 0xff);
    return out;
}
std::string ints(std::initializer_list<std::int64_t> values) {
    std::string out = "(";
    for (const auto value : values) out += integer(value);
    return out + "t";
}
// As PyTorch pickles a tensor.
std::string tensor(std::string_view type, std::int64_t numel, std::int64_t offset, const std::string& sizes,
                   const std::string& strides, std::string_view function = "_rebuild_tensor_v2") {
    return "\x80\x02"s + "ctorch._utils\n" + std::string(function) + "\n((" + text("storage") + "ctorch\n" +
           std::string(type) + "\n" + text("0") + text("cpu") + integer(numel) + "tQ" + integer(offset) + sizes +
           strides + "\x88" + "ccollections\nOrderedDict\n)RtR.";
}

}  // namespace

class TestTensorRebuild : public QObject {
    Q_OBJECT

    Scratch scratch_;

    // 24 bytes of storage: float32 0..5.
    std::string rebuild_error(const std::string& pickle) {
        return error_of([&] { rebuild(pickle); });
    }
    RebuiltTensor rebuild(const std::string& pickle) {
        const ZipReader archive(MappedFile::open(scratch_.path("floats.zip")));
        ArchiveStorages storages(archive, "m/data");
        const auto parsed = read_pickle(pickle);
        if (!is_tensor_call(*parsed.root())) throw Error(ErrorKind::Internal, "no tensor");
        return rebuild_tensor(*parsed.root(), storages);
    }

  private slots:
    void initTestCase() {
        const Tensor values = tensor_of<float>({0, 1, 2, 3, 4, 5}, {6});
        ZipWriter writer(scratch_.path("floats.zip"));
        writer.add("m/data/0", {{static_cast<const std::byte*>(values.raw_data()), values.bytes()}});
        writer.finish();
    }

    void views_the_file() {
        const RebuiltTensor rebuilt = rebuild(tensor("FloatStorage", 6, 1, ints({2, 2}), ints({3, 1})));
        const Tensor& t = rebuilt.tensor;
        QVERIFY(rebuilt.requires_grad && rebuilt.kind.empty());
        QCOMPARE(elements<float>(t), (std::vector<float>{1, 2, 4, 5}));
        QCOMPARE(t.storage_offset(), std::int64_t{1});
        QCOMPARE(t.storage()->bytes(), std::size_t{24});
        QCOMPARE(reinterpret_cast<std::uintptr_t>(t.storage()->data()) % 64, std::uintptr_t{0});
    }

    void agrees_with_pytorch() {
        // A checkpoint and its tensors: views, transposed, channels last, every dtype.
        const ZipReader archive(MappedFile::open(fixture("checkpoints/storages_weights.pt")));
        const auto pickle = read_pickle(archive.read(*archive.find("storages_weights/data.pkl"), 1u << 20));
        const auto& items = pickle.root()->call().items;
        ArchiveStorages storages(archive, "storages_weights/data");
        const auto expected = read_npz(fixture("checkpoints/storages_weights.npz"));
        QCOMPARE(items.size(), 2 * expected.size());
        std::unordered_map<std::string, Tensor> tensors;
        for (std::size_t i = 0; i < items.size(); i += 2) {
            tensors[items[i]->to_string()] = rebuild_tensor(*items[i + 1], storages).tensor;
        }
        for (const auto& [name, array] : expected) {
            const Tensor& t = tensors.at(name);
            QCOMPARE(shape_text(t.sizes()), shape_text(array.sizes()));
            if (t.dtype() == ScalarType::Float32) QCOMPARE(elements<float>(t), elements<float>(array));
            if (t.dtype() == ScalarType::Int64) QCOMPARE(elements<std::int64_t>(t), elements<std::int64_t>(array));
            if (t.dtype() == ScalarType::Bool) QCOMPARE(elements<bool>(t), elements<bool>(array));
        }
        // Two views of one storage.
        QCOMPARE(tensors.at("rows").storage()->id(), tensors.at("columns").storage()->id());
    }

    void refuses_to_leave_the_storage() {
        QVERIFY(rebuild_error(tensor("FloatStorage", 6, 0, ints({6}), ints({1}))).empty());
        QVERIFY(rebuild_error(tensor("FloatStorage", 6, 6, ints({0}), ints({1}))).empty());
        QCOMPARE(rebuild_error(tensor("FloatStorage", 6, 1, ints({6}), ints({1}))),
                 "tensor 6 at offset 1 leaves its storage of 6 elements"s);
        QCOMPARE(rebuild_error(tensor("FloatStorage", 6, 0, ints({2, 2}), ints({5, 1}))),
                 "tensor 2x2 at offset 0 leaves its storage of 6 elements"s);
        QVERIFY(rebuild_error(tensor("FloatStorage", 6, INT64_MAX, ints({6}), ints({1}))).find("leaves its storage") !=
                std::string::npos);
        QVERIFY(rebuild_error(tensor("FloatStorage", 6, 0, ints({2}), ints({INT64_MAX}))).find("leaves its storage") !=
                std::string::npos);
        QVERIFY(
            rebuild_error(tensor("FloatStorage", 6, 0, ints({INT64_MAX, INT64_MAX}), ints({0, 0}))).find("tensor of") !=
            std::string::npos);
        QVERIFY(rebuild_error(tensor("FloatStorage", 6, -1, ints({1}), ints({1}))).find("offset -1") !=
                std::string::npos);
        QVERIFY(rebuild_error(tensor("FloatStorage", 6, 0, ints({-1}), ints({1}))).find("size -1") !=
                std::string::npos);
        QVERIFY(rebuild_error(tensor("FloatStorage", 6, 0, ints({2}), ints({-1}))).find("stride -1") !=
                std::string::npos);
        QVERIFY(rebuild_error(tensor("FloatStorage", 6, 0, ints({2}), ints({}))).find("1 sizes and 0 strides") !=
                std::string::npos);
        QCOMPARE(rebuild_error(tensor("FloatStorage", 7, 0, ints({7}), ints({1}))),
                 "floats.zip: truncated: storage '0' has 24 bytes, its tensors need 28"s);
        QVERIFY(rebuild_error(tensor("FloatStorage", INT64_MAX, 0, ints({7}), ints({1}))).find("storage of") !=
                std::string::npos);
    }

    void names_what_it_lacks() {
        QCOMPARE(rebuild_error(tensor("QUInt2x4Storage", 6, 0, ints({6}), ints({1}))),
                 "storage of type 'torch.QUInt2x4Storage', which is not supported"s);
        QCOMPARE(rebuild_error(tensor("FloatStorage", 6, 0, ints({6}), ints({1}), "_rebuild_qtensor")),
                 "quantised tensor on a storage of plain elements"s);
        QCOMPARE(rebuild_error(tensor("FloatStorage", 6, 0, ints({6}), ints({1}), "_rebuild_mkldnn_tensor")),
                 "tensor made by 'torch._utils._rebuild_mkldnn_tensor', which is not supported"s);
    }
};

QTEST_GUILESS_MAIN(TestTensorRebuild)
#include "test_tensor_rebuild.moc"
