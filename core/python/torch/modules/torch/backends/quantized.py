# SPDX-License-Identifier: Apache-2.0
engine = 'fbgemm'
supported_engines = ['fbgemm', 'none']
