"""Protobuf by hand, for the scripts that write profiles: a number, a field with a number (left out when 0), a field with bytes."""


def vi(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def num(f, n):
    return vi(f << 3) + vi(n) if n else b''


def msg(f, b):
    b = b.encode('utf8', 'surrogateescape') if isinstance(b, str) else b
    return vi(f << 3 | 2) + vi(len(b)) + b
