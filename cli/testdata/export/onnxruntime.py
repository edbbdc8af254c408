"""The part of the package onnxruntime that docs/export uses, over the C library of ONNX
Runtime, whose path is in ONNXRUNTIME: for machines where pip has no such package."""

import ctypes
import os

import numpy as np


class _Base(ctypes.Structure):
    _fields_ = [("get_api", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)), ("version", ctypes.c_void_p)]


_library = ctypes.CDLL(os.environ["ONNXRUNTIME"])
_library.OrtGetApiBase.restype = ctypes.POINTER(_Base)
# OrtApi in onnxruntime_c_api.h is a structure of functions, whose order never changes.
_api = ctypes.cast(_library.OrtGetApiBase().contents.get_api(17), ctypes.POINTER(ctypes.c_void_p))
_message = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)(_api[2])
_FLOAT = 1


def _call(index, *arguments):
    """Calls a function whose last argument is where its result goes, and returns that."""
    result = ctypes.c_void_p()
    arguments += (ctypes.pointer(result),)
    status = ctypes.CFUNCTYPE(ctypes.c_void_p, *map(type, arguments))(_api[index])(*arguments)
    if status:
        raise RuntimeError(_message(status).decode())
    return result


def _strings(names):
    return (ctypes.c_char_p * len(names))(*[name.encode() for name in names])


class InferenceSession:
    def __init__(self, path, providers):
        assert providers == ["CPUExecutionProvider"]
        env = _call(3, ctypes.c_int(3), ctypes.c_char_p(b"test"))
        self._session = _call(7, env, ctypes.c_char_p(path.encode()), _call(10))
        self._memory = _call(69, ctypes.c_int(1), ctypes.c_int(0))

    def get_modelmeta(self):
        return _Metadata(_call(111, self._session))

    def run(self, outputs, feed):
        values = []
        for x in feed.values():
            assert x.dtype == np.float32 and x.flags.c_contiguous
            shape = (ctypes.c_int64 * x.ndim)(*x.shape)
            values.append(_call(49, self._memory, ctypes.c_void_p(x.ctypes.data), ctypes.c_size_t(x.nbytes), shape,
                                ctypes.c_size_t(x.ndim), ctypes.c_int(_FLOAT)))
        inputs = (ctypes.c_void_p * len(values))(*[v.value for v in values])
        answers = (ctypes.c_void_p * len(outputs))()
        types = [ctypes.c_void_p] * 4 + [ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
        status = ctypes.CFUNCTYPE(ctypes.c_void_p, *types)(_api[9])(
            self._session, None, ctypes.cast(_strings(list(feed)), ctypes.c_void_p), ctypes.cast(inputs, ctypes.c_void_p),
            len(values), ctypes.cast(_strings(outputs), ctypes.c_void_p), len(outputs), ctypes.cast(answers, ctypes.c_void_p))
        if status:
            raise RuntimeError(_message(status).decode())
        return [_array(ctypes.c_void_p(answer)) for answer in answers]


def _array(value):
    about = _call(65, value)
    rank = _call(61, about).value
    shape = (ctypes.c_int64 * rank)()
    status = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)(_api[62])(about, shape, rank)
    assert not status
    data = ctypes.cast(_call(51, value), ctypes.POINTER(ctypes.c_float))
    return np.ctypeslib.as_array(data, tuple(shape)).copy()


class _Metadata:
    def __init__(self, metadata):
        self._metadata, self._allocator = metadata, _call(78)

    @property
    def custom_metadata_map(self):
        keys = [b"game", b"game_version", b"encoding"]
        values = [_call(116, self._metadata, self._allocator, ctypes.c_char_p(key)) for key in keys]
        return {k.decode(): ctypes.string_at(v.value).decode() for k, v in zip(keys, values)}
