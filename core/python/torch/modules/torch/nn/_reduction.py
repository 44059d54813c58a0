# SPDX-License-Identifier: Apache-2.0
def get_enum(reduction):
    if reduction == 'none':
        return 0
    if reduction == 'mean':
        return 1
    if reduction == 'elementwise_mean':
        return 1
    if reduction == 'sum':
        return 2
    raise ValueError("{} is not a valid value for reduction".format(reduction))
