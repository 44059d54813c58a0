# SPDX-License-Identifier: Apache-2.0
def register(function, *args, **kwargs): return function
def unregister(function): pass
