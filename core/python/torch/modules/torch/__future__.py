# SPDX-License-Identifier: Apache-2.0
_overwrite = False
_swap = False


def set_overwrite_module_params_on_conversion(value):
    global _overwrite
    _overwrite = value


def get_overwrite_module_params_on_conversion():
    return _overwrite


def set_swap_module_params_on_conversion(value):
    global _swap
    _swap = value


def get_swap_module_params_on_conversion():
    return _swap
