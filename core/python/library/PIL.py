# SPDX-License-Identifier: Apache-2.0
# Images are inputs of the window: what reads or draws one says so.
__version__ = '11.0.0'
