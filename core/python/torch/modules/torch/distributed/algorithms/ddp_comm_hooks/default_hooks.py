# SPDX-License-Identifier: Apache-2.0
import torch
import torch.distributed as dist


def _group(process_group):
    return process_group if process_group is not None else dist.group.WORLD


def _allreduce_fut(process_group, tensor):
    group = _group(process_group)
    tensor.div_(group.size())
    return dist.all_reduce(tensor, group=group, async_op=True).get_future().then(lambda fut: fut.value()[0])


def allreduce_hook(process_group, bucket):
    return _allreduce_fut(process_group, bucket.buffer())


def _compress_hook(dtype, process_group, bucket):
    group = _group(process_group)
    buffer = bucket.buffer()
    compressed = buffer.to(dtype).div_(group.size())
    fut = dist.all_reduce(compressed, group=group, async_op=True).get_future()

    def decompress(fut):
        buffer.copy_(fut.value()[0])
        return buffer
    return fut.then(decompress)


def fp16_compress_hook(process_group, bucket):
    return _compress_hook(torch.float16, process_group, bucket)


def bf16_compress_hook(process_group, bucket):
    return _compress_hook(torch.bfloat16, process_group, bucket)


def _compress_wrapper(dtype, hook):
    def wrapped(state, bucket):
        full = bucket.buffer()
        bucket._buffer = full.to(dtype)

        def decompress(fut):
            value = fut.value()
            full.copy_(value[0] if isinstance(value, (list, tuple)) else value)
            return full
        return hook(state, bucket).then(decompress)
    return wrapped


def fp16_compress_wrapper(hook):
    return _compress_wrapper(torch.float16, hook)


def bf16_compress_wrapper(hook):
    return _compress_wrapper(torch.bfloat16, hook)
