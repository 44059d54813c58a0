# SPDX-License-Identifier: Apache-2.0
def collect(generation=2): return 0
def enable(): pass
def disable(): pass
def isenabled(): return True
def get_objects(): return []
def freeze(): pass
