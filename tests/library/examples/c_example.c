/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a model, asks for gradients and lists what happened: c_example resnet.pt */
#include <tensorloupe/c_api.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(tl_status status) {
    if (status == TL_OK) return;
    fprintf(stderr, "error %d: %s\n", (int)status, tl_last_error());
    exit(1);
}

/* Of a row-major float32 tensor: the sum of absolute values. */
static double absolute_sum(const tl_tensor* tensor) {
    tl_tensor* host;
    tl_view view;
    double sum = 0;
    int64_t count = 1;
    check(tl_tensor_to_host(tensor, &host));
    check(tl_tensor_view(host, &view));
    for (int32_t d = 0; d < view.ndim; ++d) count *= view.shape[d];
    for (int64_t i = 0; i < count; ++i) sum += fabs(((const float*)view.data)[i]);
    tl_tensor_release(host);
    return sum;
}

int main(int argc, char** argv) {
    static float pixels[3 * 32 * 32];
    const int64_t shape[] = {1, 3, 32, 32};
    tl_model* model;
    tl_tensor *image, *scores, *gradient, *weight;
    tl_tensors *outputs, *parameters;
    tl_recording* recording;
    tl_event event;
    tl_view view;
    size_t i, backward_events = 0;

    if (argc < 2) return 2;
    if (tl_model_open("no such file.pt", &model) != TL_ERROR_USAGE || strstr(tl_last_error(), "no such file") == NULL)
        return 3;
    check(tl_model_open(argv[1], &model));
    check(tl_model_set_training(model, 0));
    for (i = 0; i < 3 * 32 * 32; ++i) pixels[i] = sinf((float)i * 0.01f);
    check(tl_tensor_wrap(pixels, shape, NULL, 4, TL_FLOAT32, NULL, NULL, &image));
    check(tl_tensor_set_requires_grad(image, 1));
    check(tl_tensor_view(image, &view));
    printf("input %dx%dx%dx%d float32\n", (int)view.shape[0], (int)view.shape[1], (int)view.shape[2], (int)view.shape[3]);

    check(tl_model_record(model, &image, 1, 1, &recording, &outputs));
    check(tl_tensors_get(outputs, 0, &scores));
    check(tl_tensor_view(scores, &view));
    printf("output %dx%d, strides %d %d, %d bits\n", (int)view.shape[0], (int)view.shape[1], (int)view.strides[0],
           (int)view.strides[1], view.dtype_bits);
    for (i = 0; i < 5; ++i) printf("%.4f%c", ((const float*)view.data)[i], i == 4 ? '\n' : ' ');

    check(tl_tensor_grad(image, &gradient));
    printf("gradient of the input: %.4f\n", absolute_sum(gradient));
    tl_tensor_release(gradient);
    check(tl_model_parameters(model, &parameters));
    for (i = 0; i < tl_tensors_count(parameters); ++i) {
        if (strcmp(tl_tensors_name(parameters, i), "fc.weight") != 0) continue;
        check(tl_tensors_get(parameters, i, &weight));
        check(tl_tensor_grad(weight, &gradient));
        printf("gradient of fc.weight: %.4f\n", absolute_sum(gradient));
        tl_tensor_release(gradient);
        tl_tensor_release(weight);
    }

    for (i = 0; i < tl_recording_event_count(recording); ++i) {
        check(tl_recording_event(recording, i, &event, sizeof event));
        if (event.phase == 1) ++backward_events;
    }
    if (backward_events == 0 || event.id != i) return 4;

    tl_tensors_release(parameters);
    tl_tensors_release(outputs);
    tl_tensor_release(scores);
    tl_tensor_release(image);
    tl_recording_release(recording);
    tl_model_release(model);
    return 0;
}
