// SPDX-License-Identifier: Apache-2.0
#ifndef TENSORLOUPE_C_API_H
#define TENSORLOUPE_C_API_H
/*
 * The engine for C programs: C99, opaque handles, nothing is thrown.
 *
 * A function that can fail returns TL_OK or the kind of the error; tl_last_error() is its text. Results are written
 * through the last argument, on success only. A handle is released by the function of its type, which takes NULL.
 * Handles of one model, and tensors that it made, belong to one thread at a time.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Grows when functions are added; nothing is removed while the major version stays. */
#define TL_API_VERSION 1

#define TL_API __attribute__((visibility("default")))

typedef struct tl_model tl_model;
typedef struct tl_tensor tl_tensor;
typedef struct tl_tensors tl_tensors;
typedef struct tl_recording tl_recording;

typedef enum tl_status {
    TL_OK = 0,
    TL_ERROR_USAGE = 1,       /* wrong arguments, missing file */
    TL_ERROR_FILE = 2,        /* a file that cannot be read, or is damaged */
    TL_ERROR_UNSUPPORTED = 3, /* a valid file that needs what the engine lacks */
    TL_ERROR_COMPILE = 4,     /* source that is rejected */
    TL_ERROR_RUN = 5,         /* an operator or a program failed while running */
    TL_ERROR_PLUGIN = 6,      /* a plugin that cannot be loaded */
    TL_ERROR_CANCELLED = 7,
    TL_ERROR_INTERNAL = 8 /* a bug of the engine, or memory ran out */
} tl_status;

/* Element types, numbered as PyTorch numbers them. */
typedef enum tl_dtype {
    TL_UINT8 = 0,
    TL_INT8 = 1,
    TL_INT16 = 2,
    TL_INT32 = 3,
    TL_INT64 = 4,
    TL_FLOAT16 = 5,
    TL_FLOAT32 = 6,
    TL_FLOAT64 = 7,
    TL_COMPLEX32 = 8,
    TL_COMPLEX64 = 9,
    TL_COMPLEX128 = 10,
    TL_BOOL = 11,
    TL_BFLOAT16 = 15
    /* others: PyTorch's number */
} tl_dtype;

/* What a tensor's memory is: DLPack's fields. Valid while the tensor is not released. */
typedef struct tl_view {
    void* data;          /* the first element; of device_type 1 the host may read it */
    int32_t device_type; /* DLPack's: 1 the CPU, 2 CUDA, 12 another device */
    int32_t device_id;   /* which of them */
    int32_t ndim;        /* length of shape and strides */
    tl_dtype dtype;      /* element type */
    uint8_t dtype_code; /* DLPack's: 0 signed, 1 unsigned, 2 floating point, 4 bfloat16, 5 complex, 6 bool; 255: none */
    uint8_t dtype_bits; /* of an element */
    uint16_t dtype_lanes;   /* 1 */
    const int64_t* shape;   /* in elements */
    const int64_t* strides; /* in elements */
} tl_view;

/* TL_API_VERSION of the library that is loaded. */
TL_API int32_t tl_api_version(void);
/* "0.1.0" */
TL_API const char* tl_version(void);
/* Of this thread's last call that failed, one line; "" before the first. Valid until the next call that fails. */
TL_API const char* tl_last_error(void);
/* The seed of all random generators, as torch.manual_seed. */
TL_API tl_status tl_seed(uint64_t seed);

/* --- models --- */

/* A file or folder of any format that the engine reads. */
TL_API tl_status tl_model_open(const char* path, tl_model** model);
TL_API void tl_model_release(tl_model* model);
/* training: 0 for eval(), else train(). */
TL_API tl_status tl_model_set_training(tl_model* model, int training);
/* "cpu", "cuda", "cuda:1" */
TL_API tl_status tl_model_to_device(tl_model* model, const char* device);
/* method: NULL for forward, or the only one there is. outputs: the tensors inside the result, in order; lists and
 * tuples flattened, a dict by sorted key. Gradients can be asked of them when an input or a parameter requires grad. */
TL_API tl_status tl_model_run(tl_model* model, const char* method, tl_tensor* const* inputs, size_t input_count,
                              tl_tensors** outputs);
/* All parameters and buffers, each once: names by tl_tensors_name. */
TL_API tl_status tl_model_parameters(tl_model* model, tl_tensors** parameters);
TL_API tl_status tl_model_buffers(tl_model* model, tl_tensors** buffers);

/* --- lists of tensors --- */

TL_API size_t tl_tensors_count(const tl_tensors* tensors);
/* The name of one; "" where tensors have none. NULL when there is no such tensor. Valid while the list is. */
TL_API const char* tl_tensors_name(const tl_tensors* tensors, size_t index);
/* A handle of its own, to be released. */
TL_API tl_status tl_tensors_get(const tl_tensors* tensors, size_t index, tl_tensor** tensor);
TL_API void tl_tensors_release(tl_tensors* tensors);

/* --- tensors --- */

/* A tensor with a copy of row-major elements. */
TL_API tl_status tl_tensor_copy(const void* data, const int64_t* shape, int32_t ndim, tl_dtype dtype,
                                tl_tensor** tensor);
/* A tensor over the caller's memory; release(context) is called when no tensor views it any more, may be NULL.
 * strides: in elements; NULL: row-major. */
TL_API tl_status tl_tensor_wrap(void* data, const int64_t* shape, const int64_t* strides, int32_t ndim, tl_dtype dtype,
                                void (*release)(void* context), void* context, tl_tensor** tensor);
/* Normal random numbers of the seeded generator, float32. */
TL_API tl_status tl_tensor_randn(const int64_t* shape, int32_t ndim, tl_tensor** tensor);
TL_API void tl_tensor_release(tl_tensor* tensor);
TL_API tl_status tl_tensor_view(const tl_tensor* tensor, tl_view* view);
/* Row-major on the CPU: the tensor itself where it is, else a copy without history. */
TL_API tl_status tl_tensor_to_host(const tl_tensor* tensor, tl_tensor** host);
/* As print() of Python writes it. Valid until the tensor is released or its text is asked for again. */
TL_API tl_status tl_tensor_text(tl_tensor* tensor, const char** text);

/* --- gradients --- */

TL_API tl_status tl_tensor_set_requires_grad(tl_tensor* tensor, int requires_grad);
/* gradient: of the tensor's shape; NULL for a tensor of one element. */
TL_API tl_status tl_tensor_backward(tl_tensor* tensor, const tl_tensor* gradient);
/* What backward has added up; NULL where there is none. */
TL_API tl_status tl_tensor_grad(const tl_tensor* tensor, tl_tensor** grad);
/* For the next backward: no gradients. */
TL_API tl_status tl_model_zero_grad(tl_model* model);

/* --- recorded runs --- */

typedef struct tl_event {
    uint32_t id;         /* 1, 2, ... in order */
    int32_t phase;       /* 0 forward, 1 backward, 2 optimizer */
    const char* op;      /* "aten::conv2d"; in backward "ConvolutionBackward0" */
    const char* scope;   /* path of the module: "layer1.0.conv1" */
    const char* source;  /* file of the line that called it; "" where it is not known */
    int32_t source_line; /* 0: not known */
    uint32_t peer;       /* of a backward event its forward event, and the other way round; 0: none */
    double start;        /* seconds since the run began */
    double duration;     /* seconds */
    double flops;
    int64_t memory_after; /* bytes alive by the program's own account */
    const char* backend;  /* "onednn", "portable" */
    int32_t has_nan;      /* in an output */
    int32_t has_inf;
    size_t output_count;
} tl_event;

/* Runs the model and writes down what happens: forward; and where backward is not 0, backward from the sum of all
 * outputs. outputs may be NULL. */
TL_API tl_status tl_model_record(tl_model* model, tl_tensor* const* inputs, size_t input_count, int backward,
                                 tl_recording** recording, tl_tensors** outputs);
/* A .loupe file, as tensorloupe-cli run --record writes it. */
TL_API tl_status tl_recording_open(const char* path, tl_recording** recording);
/* Of a run of tl_model_record. TL_ERROR_USAGE for one that was opened from a file. */
TL_API tl_status tl_recording_save(const tl_recording* recording, const char* path);
TL_API void tl_recording_release(tl_recording* recording);
TL_API size_t tl_recording_event_count(const tl_recording* recording);
/* index: from 0. event_size: sizeof(tl_event), so that the struct can grow. Texts are valid while the recording is. */
TL_API tl_status tl_recording_event(const tl_recording* recording, size_t index, tl_event* event, size_t event_size);
/* Shape of an output of an event, as text: "float32 [1, 64, 56, 56]". Valid while the recording is. */
TL_API tl_status tl_recording_output_text(const tl_recording* recording, size_t event_index, size_t output_index,
                                          const char** text);

#ifdef __cplusplus
}
#endif

#endif
