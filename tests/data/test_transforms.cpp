// SPDX-License-Identifier: Apache-2.0
// Pictures as tensors; expected values from torch.nn.functional.interpolate, and by hand.
#include "core/data/transforms.h"
#include "tests/data/data_test.h"

using namespace loupe;
using namespace loupe::data;

namespace {

// (arange(2 * 4 * 5) * 7 % 251) as uint8 [2, 4, 5]
Tensor picture() {
    Tensor image = empty(std::array<std::int64_t, 3>{2, 4, 5}, ScalarType::UInt8);
    for (std::int64_t i = 0; i < 40; ++i) image.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(i * 7 % 251);
    return image;
}
using Bytes = std::vector<std::uint8_t>;

}  // namespace

class TestTransforms : public QObject {
    Q_OBJECT

  private slots:
    void resizingIsPyTorchs() {
        QCOMPARE(elements<std::uint8_t>(resize(picture(), {3, 2})),
                 (Bytes{11, 29, 58, 75, 104, 122, 151, 169, 198, 215, 88, 53}));
        QCOMPARE(elements<std::uint8_t>(resize(picture(), {2, 2}, true)), (Bytes{32, 46, 87, 101, 172, 186, 154, 133}));
        QVERIFY(with_short_edge(picture(), 8) == (ImageSize{8, 10}));
        QVERIFY(with_short_edge(picture(), 2) == (ImageSize{2, 2}));
    }

    void croppingTheMiddle() {
        // Rows 1 and 2, columns 1 to 3: round((4 - 2) / 2) = 1, round((5 - 3) / 2) = 1.
        QCOMPARE(elements<std::uint8_t>(center_crop(picture(), {2, 3})),
                 (Bytes{42, 49, 56, 77, 84, 91, 182, 189, 196, 217, 224, 231}));
        const Tensor padded = center_crop(picture(), {6, 5});
        QCOMPARE(shape_text(padded.sizes()), std::string("2x6x5"));
        QCOMPARE(int{elements<std::uint8_t>(padded)[0]}, 0);
        QCOMPARE(int{elements<std::uint8_t>(padded)[6]}, 7);
    }

    // torch.manual_seed(3): randint(0, 5), randint(0, 7) are 1 and 3.
    void randomCropsDrawAsTorchvision() {
        seed_generators(3);
        const Tensor wide = zeros(std::array<std::int64_t, 3>{1, 8, 12}, ScalarType::UInt8);
        for (int i = 0; i < 96; ++i) wide.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(i);
        const auto cropped = elements<std::uint8_t>(random_crop(wide, {4, 6}));
        QCOMPARE(int{cropped.front()}, 1 * 12 + 3);
        QCOMPARE(cropped.size(), std::size_t{24});
        QCOMPARE(raised_by([&] {
                     random_crop(wide, {9, 6});
                 }),
                 std::string("Required crop size (9, 6) is larger then input image size (8, 12)"));
        QCOMPARE(shape_text(random_crop(wide, {9, 6}, 1).sizes()), std::string("1x9x6"));
    }

    void flipsAreDrawnAsTorchvision() {
        seed_generators(3);
        for (int i = 0; i < 4; ++i) default_generator().next32();
        const Tensor row = tensor_of<std::uint8_t>({1, 2}, {1, 1, 2});
        std::vector<bool> flipped;
        for (int i = 0; i < 6; ++i) flipped.push_back(elements<std::uint8_t>(random_horizontal_flip(row, 0.5))[0] == 2);
        QVERIFY((flipped == std::vector<bool>{true, true, false, false, false, false}));
    }

    void valuesAreScaledAndNormalised() {
        const Tensor unit = to_unit_range(tensor_of<std::uint8_t>({0, 51, 255, 102}, {2, 1, 2}));
        QCOMPARE(elements<float>(unit), (std::vector<float>{0, 0.2F, 1, 0.4F}));
        const Tensor normal = normalise(unit, {0.5, 0.0}, {0.5, 2.0});
        QCOMPARE(elements<float>(normal), (std::vector<float>{-1, (0.2F - 0.5F) / 0.5F, 0.5F, 0.2F}));
        QVERIFY(!raised_by([&] { normalise(unit, {0, 0, 0}, {1}); }).empty());
        QVERIFY(!raised_by([&] { normalise(unit, {0}, {0}); }).empty());
    }
};

QTEST_APPLESS_MAIN(TestTransforms)
#include "test_transforms.moc"
