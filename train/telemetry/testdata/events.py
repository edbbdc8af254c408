"""Prints the scalars of a TensorBoard event file, a line each: step, tag, value.

It shares nothing with the writer: it has its own CRC-32C, record framing and protocol
buffers, from their specifications.
"""
import struct
import sys


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


assert crc32c(b"123456789") == 0xE3069283  # the check value of CRC-32C


def records(file):
    while head := file.read(12):
        length, crc = struct.unpack("<QI", head)
        assert crc == masked(head[:8]), "checksum of a length"
        data = file.read(length)
        (crc,) = struct.unpack("<I", file.read(4))
        assert crc == masked(data), "checksum of a record"
        yield data


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        field, kind = key >> 3, key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            (value,), at = struct.unpack("<d", data[at : at + 8]), at + 8
        elif kind == 2:
            length, at = varint(data, at)
            value, at = data[at : at + length], at + length
        elif kind == 5:
            (value,), at = struct.unpack("<f", data[at : at + 4]), at + 4
        else:
            raise ValueError(f"wire type {kind}")
        yield field, value


with open(sys.argv[1], "rb") as file:
    for i, record in enumerate(records(file)):
        event = dict(fields(record))
        assert event[1] > 1e9, "wall time"
        if i == 0:
            assert event[3] == b"brain.Event:2", event
            continue
        for number, value in fields(event[5]):
            assert number == 1
            scalar = dict(fields(value))
            print(event[2], scalar[1].decode(), repr(scalar[2]), sep="\t")
