# SPDX-License-Identifier: Apache-2.0
def apply_to_collection(data, dtype, function, *args, wrong_dtype=None, include_none=True, **kwargs):
    def apply(value):
        return apply_to_collection(value, dtype, function, *args, wrong_dtype=wrong_dtype, include_none=include_none, **kwargs)

    if isinstance(data, dtype) and (wrong_dtype is None or not isinstance(data, wrong_dtype)):
        return function(data, *args, **kwargs)
    if isinstance(data, dict):
        made = {key: apply(value) for key, value in data.items()}
        return type(data)(made) if type(data) is dict else data.__class__(made)
    if isinstance(data, tuple) and hasattr(data, '_fields'):
        return data.__class__(*(apply(value) for value in data))
    if isinstance(data, (list, tuple)):
        return data.__class__(apply(value) for value in data)
    return data
