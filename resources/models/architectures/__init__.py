# SPDX-License-Identifier: Apache-2.0
"""Models of Hugging Face folders, a file for each `model_type` of config.json.

Such a file has `build(config)`, which makes the module with the parameter names of the folder's weights, and
`example_inputs(config)`. What several share stands in common, decoder, encoder and vision.
"""
