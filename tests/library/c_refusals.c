/* SPDX-License-Identifier: Apache-2.0 */
/* What the C interface refuses, and recordings in files: c_refusals resnet.pt run.loupe */
#include <tensorloupe/c_api.h>

#include <stdio.h>
#include <string.h>

static int failures = 0;

static void expect(int holds, const char* what) {
    if (holds) return;
    fprintf(stderr, "%s; last error: %s\n", what, tl_last_error());
    ++failures;
}

static int freed = 0;
static void count_release(void* context) { freed += *(int*)context; }

int main(int argc, char** argv) {
    const int64_t shape[] = {2, 3};
    const int64_t strides[] = {1, 2};
    const int64_t negative[] = {-1};
    float numbers[] = {1, 2, 3, 4, 5, 6};
    int one = 1;
    tl_model* model = NULL;
    tl_tensor *tensor = NULL, *other = NULL;
    tl_tensors* outputs = NULL;
    tl_recording *recording = NULL, *read = NULL;
    tl_view view;
    tl_event event;
    const char* text = NULL;
    struct {
        uint32_t id;
        int32_t phase;
    } old_event;

    if (argc < 3) return 2;
    expect(tl_api_version() == TL_API_VERSION && tl_version()[0] != '\0', "versions");
    expect(tl_model_open(NULL, &model) == TL_ERROR_USAGE && strstr(tl_last_error(), "path is NULL") != NULL, "NULL path");
    expect(tl_model_open(__FILE__, &model) != TL_OK && model == NULL, "a file that is no model");
    expect(tl_model_open(argv[1], &model) == TL_OK, "open");
    expect(tl_model_to_device(model, "tpu") != TL_OK, "a device that does not exist");
    expect(tl_model_run(model, "nothing", NULL, 0, &outputs) == TL_ERROR_USAGE, "a method that does not exist");

    expect(tl_tensor_copy(numbers, shape, 2, TL_FLOAT32, &tensor) == TL_OK, "copy");
    expect(tl_model_run(model, NULL, &tensor, 1, &outputs) == TL_ERROR_RUN && outputs == NULL, "an input that does not fit");
    expect(tl_tensor_copy(numbers, negative, 1, TL_FLOAT32, &other) != TL_OK && other == NULL, "a negative size");
    expect(tl_tensor_copy(numbers, shape, 2, (tl_dtype)77, &other) == TL_ERROR_USAGE, "a dtype that does not exist");
    expect(tl_tensor_backward(tensor, NULL) == TL_ERROR_RUN, "backward of what requires no gradient");
    expect(tl_tensor_grad(tensor, &other) == TL_OK && other == NULL, "no gradient");
    expect(tl_tensor_text(tensor, &text) == TL_OK && strcmp(text, "tensor([[1., 2., 3.],\n        [4., 5., 6.]])") == 0, "text");
    tl_tensor_release(tensor);

    expect(tl_tensor_wrap(numbers, shape, strides, 2, TL_FLOAT32, count_release, &one, &tensor) == TL_OK, "wrap");
    expect(tl_tensor_view(tensor, &view) == TL_OK && view.data == (void*)numbers && view.strides[1] == 2, "view");
    expect(view.dtype_code == 2 && view.dtype_bits == 32 && view.dtype_lanes == 1 && view.device_type == 1, "DLPack's fields");
    expect(tl_tensor_to_host(tensor, &other) == TL_OK && tl_tensor_view(other, &view) == TL_OK, "to host");
    expect(((const float*)view.data)[1] == 3, "row-major");
    tl_tensor_release(other);
    expect(freed == 0, "memory is kept");
    tl_tensor_release(tensor);
    expect(freed == 1, "memory is released once");

    {
        const int64_t image[] = {1, 3, 32, 32};
        expect(tl_seed(1) == TL_OK && tl_tensor_randn(image, 4, &tensor) == TL_OK, "randn");
    }
    expect(tl_model_record(model, &tensor, 1, 0, &recording, NULL) == TL_OK, "record");
    expect(tl_recording_event(recording, tl_recording_event_count(recording), &event, sizeof event) == TL_ERROR_USAGE,
           "an event behind the last");
    expect(tl_recording_event(recording, 0, (tl_event*)&old_event, sizeof old_event) == TL_OK && old_event.id == 1,
           "a smaller struct");
    expect(tl_recording_output_text(recording, 0, 0, &text) == TL_OK && strstr(text, "float32 [1, ") == text, "output text");
    expect(tl_recording_save(recording, argv[2]) == TL_OK, "save");
    expect(tl_recording_open(argv[2], &read) == TL_OK, "open a recording");
    expect(tl_recording_event_count(read) == tl_recording_event_count(recording), "the same events");
    expect(tl_recording_save(read, argv[2]) == TL_ERROR_USAGE, "a recording of a file is not written again");
    expect(tl_recording_event(NULL, 0, &event, sizeof event) == TL_ERROR_USAGE, "a NULL recording");
    tl_recording_release(read);
    tl_recording_release(recording);
    tl_tensor_release(tensor);
    tl_model_release(model);
    tl_model_release(NULL);
    return failures == 0 ? 0 : 1;
}
