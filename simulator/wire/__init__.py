"""The Messages API as data: turns and blocks, what the API refuses, and its event stream.

No input or output, no SDK: JSON values in, JSON values out.
"""
