#!/usr/bin/env python3
"""Writes the generated profiles of testdata/: GPUs under JAX, backend configs of GPUs, GPUs and a CPU under TensorFlow, TPU
chips of two hosts, a cut file. The same bytes every time. Nothing of anybody's profile is in them: planes, lines and stats have the names
and the order that collectors give them, all values are made up here; the TPU program is our own, from testdata/tpu_collectives.

  testdata/generate.py [NAME ...]        into testdata/NAME/logdir
"""
import gzip, os, random, struct, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '../tests/support'))
from wire import msg, num, vi

US, MS = 10**6, 10**9                                        # in picoseconds


# ---- protobuf ----

def packed(f, numbers):
    return msg(f, b''.join(map(vi, numbers))) if numbers else b''


def fields(b):
    """(field, value) of one message; numbers and bytes."""
    at = 0

    def varint():
        nonlocal at
        n = s = 0
        while True:
            c = b[at]
            at += 1
            n |= (c & 127) << s
            s += 7
            if c < 128:
                return n
    while at < len(b):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            size = varint() if key & 7 == 2 else {1: 8, 5: 4}[key & 7]
            yield key >> 3, b[at:at + size]
            at += size


def get(b, f, default=b''):
    return next((v for k, v in fields(b) if k == f), default)


# ---- XSpace ----

class Plane:
    """Stats are (name, value): text is written as a text, ('ref', text) as a reference, float, bytes and int as they are."""

    def __init__(s, name, ident=0):
        s.name, s.ident, s.ids, s.metas, s.order, s.lines, s.own = name, ident, {}, {}, [], [], b''

    def stat(s, field, name, value):
        b = num(1, s.ids.setdefault(name, len(s.ids) + 1))
        if isinstance(value, tuple):
            b += vi(7 << 3) + vi(s.ids.setdefault(value[1], len(s.ids) + 1))
        elif isinstance(value, str):
            b += msg(5, value)
        elif isinstance(value, bytes):
            b += msg(6, value)
        elif isinstance(value, float):
            b += vi(2 << 3 | 1) + struct.pack('<d', value)
        else:
            b += vi((4 if value < 0 else 3) << 3) + vi(value)
        return msg(field, b)

    def stats(s, field, pairs):
        return b''.join(s.stat(field, k, v) for k, v in pairs)

    def say(s, *pairs):
        s.own += s.stats(6, pairs)

    def meta(s, name, display='', stats=(), ident=None):
        key = (name, display)
        if key not in s.metas:
            s.metas[key] = ident or len(s.metas) + 1
            s.order.append((s.metas[key], msg(2, name) + (msg(4, display) if display else b'') + s.stats(5, stats)))
        return s.metas[key]

    def line(s, ident, name, events, ts=0, display=''):
        """events: (metadata, offset, duration, stats) in ps; sorted as collectors leave them."""
        b = num(1, ident) + msg(2, name) + num(3, ts) + (msg(11, display) if display else b'')
        for meta, offset, duration, stats in sorted(events, key=lambda e: (e[1], -e[2])):
            b += msg(4, num(1, meta) + num(2, offset) + num(3, duration) + s.stats(4, stats))
        s.lines.append(b)

    def bytes(s):
        out = num(1, s.ident) + msg(2, s.name) + b''.join(msg(3, b) for b in s.lines)
        out += b''.join(msg(4, num(1, i) + msg(2, num(1, i) + m)) for i, m in s.order)
        out += b''.join(msg(5, num(1, i) + msg(2, num(1, i) + msg(2, n))) for n, i in s.ids.items())
        return msg(1, out + s.own)


def programs(modules):
    """The plane of the HloProtos: (name, program id, bytes)."""
    plane = Plane('/host:metadata')
    for name, ident, proto in modules:
        plane.meta('%s(%d)' % (name, ident), stats=[('Hlo Proto', proto)], ident=ident)
    return plane


def write(folder, run, host, space):
    path = os.path.join(HERE, folder, 'logdir/plugins/profile', run, host + '.xplane.pb')
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as f:
        f.write(space)


# ---- HLO ----

F32, BF16, S32, S8, C64, TUPLE = 11, 16, 4, 2, 15, 13
BYTES = {F32: 4, BF16: 2, S32: 4, S8: 1, C64: 8}


def array(kind, *dims):
    return num(2, kind) + packed(3, dims) + msg(5, packed(1, range(len(dims) - 1, -1, -1)))


def tuple_of(*shapes):
    return num(2, TUPLE) + b''.join(msg(4, s) for s in shapes)


def size_of(shape):
    kind, parts = get(shape, 2, 0), [v for k, v in fields(shape) if k == 4]
    n = BYTES.get(kind, 0)
    at = get(shape, 3)
    while at:
        d = s = i = 0
        while True:
            c = at[i]
            d |= (c & 127) << s
            s += 7
            i += 1
            if c < 128:
                break
        n, at = n * d, at[i:]
    return 8 * len(parts) if kind == TUPLE else n


class Module:
    """A program whose entry computation is a straight line; each instruction's array is a buffer of its own."""

    def __init__(s, name, ident):
        s.name, s.ident, s.entry, s.bodies, s.by, s.order = name, ident, [], [], {}, b''

    def add(s, name, opcode, shape, operands=(), op_name='', file='', line=0, extra=b'', called=(), body=None):
        ident = len(s.by) + 1
        meta = (msg(2, op_name) if op_name else b'') + (msg(3, file) if file else b'') + num(4, line)
        b = msg(1, name) + msg(2, opcode) + msg(3, shape) + (msg(7, meta) if meta else b'') + num(35, ident)
        b += packed(36, [s.by[o][0] for o in operands]) + packed(38, called) + extra
        s.by[name] = (ident, shape, opcode, list(operands))
        (s.entry if body is None else body).append((ident, name, b))
        return ident

    def body(s, name, *rows, fused=True):
        """A computation of (name, opcode, shape, operands[, extra]); the last is its root. Only what is fused has no schedule."""
        body, ident, params = [], 10 + len(s.bodies), []
        for n, opcode, shape, operands, *extra in rows:
            params += [shape] if opcode == 'parameter' else []
            s.add(n, opcode, shape, operands, extra=extra[0] if extra else b'', body=body)
        s.bodies.append(s.computation(name, ident, body, params, rows[-1][2]))
        s.order += b'' if fused else msg(1, num(1, ident) + msg(2, packed(1, [i for i, _, _ in body])))
        return ident

    def computation(s, name, ident, body, params, result):
        shape = b''.join(msg(1, p) for p in params) + msg(2, result) + b''.join(msg(3, 'p%d' % i) for i in range(len(params)))
        return msg(1, name) + b''.join(msg(2, b) for _, _, b in body) + msg(4, shape) + num(5, ident) + num(6, body[-1][0])

    def proto(s, assigned=True):
        params = [shape for n, (_, shape, op, _) in s.by.items() if op == 'parameter' and any(e[1] == n for e in s.entry)]
        result = s.by[s.entry[-1][1]][1]
        main = s.computation('main', 1, s.entry, params, result)
        module = msg(1, s.name) + msg(2, 'main') + b''.join(msg(3, c) for c in s.bodies + [main]) + msg(4, get(main, 4))
        module += num(5, s.ident) + num(6, 1) + msg(7, s.order + msg(1, num(1, 1) + msg(2, packed(1, [i for i, _, _ in s.entry]))))
        return msg(1, module) + (msg(3, s.assignment()) if assigned else b'')

    def assignment(s):
        """Arguments and results on their own, the rest first fit in one heap, freed after the last use."""
        names = [n for _, n, _ in s.entry]
        at = {n: i for i, n in enumerate(names)}
        last = {n: max([at[m] for m in names if n in s.by[m][3]] + [at[n]]) for n in names}
        out, allocations, events, held, temps, top = b'', [], [], [], [], 0
        results = set(s.by[names[-1]][3]) if s.by[names[-1]][2] == 'tuple' else {names[-1]}
        for i, n in enumerate(names):
            ident, shape, opcode, _ = s.by[n]
            if opcode in ('get-tuple-element', 'bitcast'):
                continue
            size = (size_of(shape) + 255) // 256 * 256
            out += msg(1, num(1, i + 1) + num(2, size) + msg(3, num(4, ident)))
            if opcode == 'parameter' or n in results or n == names[-1]:
                extra = num(5, 1) + num(6, at[n]) if opcode == 'parameter' else num(7, 1)
                allocations.append((size, extra, [(i + 1, 0, size)]))
            else:
                for other in [o for o in held if last[o[2]] < i]:
                    held.remove(other)
                    events.append(num(1, 1) + num(2, other[3]) + msg(3, 'main') + msg(4, other[2]))
                start = 0
                for begin, end, _, _ in sorted(held):
                    if start + size <= begin:
                        break
                    start = max(start, end)
                held.append((start, start + size, n, i + 1))
                temps.append((i + 1, start, size))
                top = max(top, start + size)
                events.append(num(2, i + 1) + msg(3, 'main') + msg(4, n))
        events += [num(1, 1) + num(2, h[3]) + msg(3, 'main') + msg(4, h[2]) for h in held]
        allocations.append((top, b'', temps))
        for i, (size, extra, inside) in enumerate(allocations):
            out += msg(3, num(1, i) + num(2, size) + extra + b''.join(msg(9, num(1, b) + num(2, o) + num(3, n)) for b, o, n in inside))
        return out + msg(4, b''.join(msg(1, e) for e in events) + num(2, 1) + num(3, len(allocations) - 1))


QUEUE = '"operation_queue_id":"0","wait_on_operation_queues":[],'
END = ',"force_earliest_schedule":false,"reification_cost":[],"device_type":"DEVICE_TYPE_INVALID"}'
DIMS = '"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["0"],"lhs_batch_dimensions":[],"rhs_batch_dimensions":[]}'
GEMM = '"selected_algorithm":"-1","alpha_real":1,"beta":0,' + DIMS + ',"alpha_imag":0,"precision_config":{"operand_precision":["DEFAULT","DEFAULT"],"algorithm":"ALG_UNSET"},"epilogue":"%s","lhs_stride":"16","rhs_stride":"16","grad_x":false,"grad_y":false,"damax_output":false'
CONV = '"activation_mode":"%s","conv_result_scale":1,"side_input_scale":0,"algorithm":{"algo_id":"28","math_type":"TENSOR_OP_MATH","tuning_knobs":{"2":"1","0":"3"},"is_cudnn_frontend":true,"workspace_size":"65536"},"leakyrelu_alpha":0'


def call(target, config='', extra=b''):
    return msg(28, target) + (msg(43, config) if config else b'') + extra


def window(*sizes):
    """3x3 pad=1_1x1_1, and b01f_01io->b01f."""
    return msg(15, b''.join(msg(1, num(1, n) + num(2, 1) + num(3, 1) + num(4, 1) + num(5, 1) + num(6, 1)) for n in sizes)) + \
        msg(16, num(8, 3) + packed(11, [1, 2]) + num(3, 2) + num(4, 3) + packed(6, [0, 1]) + num(10, 3) + packed(12, [1, 2]))


def config(kind, inner):
    return '{' + QUEUE + '"%s":{%s}' % (kind, inner) + END


FILES = ['/home/someone/project/train.py', '/home/someone/project/model/layers.py', 'model/attention.py', '<stdin>', 'C:\\work\\loss.py']


def gpu_program():
    m = Module('jit_train_step', 7)
    x, w, big = array(BF16, 64, 256), array(BF16, 256, 512), array(BF16, 64, 512)
    scalar = array(F32)
    m.body('add', ('a', 'parameter', scalar, ()), ('b', 'parameter', scalar, (), num(9, 1)), ('add.0', 'add', scalar, ('a', 'b')), fused=False)
    fused = m.body('fused_relu', ('p.0', 'parameter', big, ()), ('neg.0', 'negate', big, ('p.0',)), ('max.0', 'maximum', big, ('p.0', 'neg.0')))
    triton = m.body('triton_dot', ('t.0', 'parameter', x, ()), ('t.1', 'parameter', w, (), num(9, 1)),
                    ('dot.0', 'dot', big, ('t.0', 't.1'), msg(30, packed(1, [1]) + packed(2, [0]))))
    m.add('x', 'parameter', x, op_name='batch')
    m.add('w', 'parameter', w, op_name="state['w']", extra=num(9, 1))
    m.add('image', 'parameter', array(BF16, 8, 32, 32, 16), op_name='image', extra=num(9, 2))
    m.add('kernel', 'parameter', array(BF16, 3, 3, 16, 32), op_name="state['kernel']", extra=num(9, 3))
    at = dict(op_name='jit(train_step)/jit(main)/conv/conv_general_dilated', file=FILES[1], line=41)
    m.add('cudnn-conv.1', 'custom-call', tuple_of(array(BF16, 8, 32, 32, 32), array(2, 65536)), ('image', 'kernel'),
          extra=call('__cudnn$convForward', config('cudnn_conv_backend_config', CONV % 'kRelu'), window(3, 3)), **at)
    m.add('gte.1', 'get-tuple-element', array(BF16, 8, 32, 32, 32), ('cudnn-conv.1',), **at)
    at = dict(op_name='jit(train_step)/jit(main)/dense/dot_general', file=FILES[0], line=12)
    m.add('cublas-gemm.1', 'custom-call', tuple_of(big, array(S8, 4096)), ('x', 'w'),
          extra=call('__cublas$lt$matmul', config('gemm_backend_config', GEMM % 'BIAS')), **at)
    m.add('gte.2', 'get-tuple-element', big, ('cublas-gemm.1',), **at)
    m.add('loop_relu_fusion', 'fusion', big, ('gte.2',), op_name='jit(train_step)/jit(main)/dense/relu', file=FILES[0], line=13,
          extra=msg(11, 'kLoop'), called=[fused])
    m.add('gemm_fusion_dot', 'fusion', big, ('x', 'w'), op_name='jit(train_step)/jit(main)/attention/dot_general', file=FILES[2], line=8, called=[triton],
          extra=msg(11, 'kCustom') + msg(43, config('fusion_backend_config', '"kind":"__triton_gemm","triton_gemm_config":{"block_m":"64","block_n":"64","block_k":"32","split_k":"1","num_stages":"3","num_warps":"4","num_ctas":"1"}')))
    m.add('attention.1', 'custom-call', big, ('loop_relu_fusion', 'gemm_fusion_dot'), op_name='jit(train_step)/jit(main)/attention/custom_call', file=FILES[2], line=9,
          extra=call('fused_attention_forward', '{heads = 4 : i64, scale = 1.250000e-01 : f64, is_training = true}', num(77, 4)))
    m.add('old-gemm.1', 'custom-call', big, ('x', 'w'), op_name='jit(train_step)/jit(main)/head/dot_general', file=FILES[4], line=3,
          extra=call('__cublas$gemm', config('gemm_backend_config', (GEMM + ',"mx_mode":false') % 'DEFAULT')))
    m.add('all-reduce-start', 'all-reduce-start', big, ('attention.1',), op_name='jit(train_step)/jit(main)/psum', file=FILES[0], line=20, called=[10],
          extra=num(26, 1) + msg(49, packed(1, [0, 1, 2, 3])) + msg(43, config('collective_backend_config', '"is_sync":false,"no_parallel_custom_call":false')))
    m.add('all-reduce-done', 'all-reduce-done', big, ('all-reduce-start',), op_name='jit(train_step)/jit(main)/psum', file=FILES[0], line=20)
    m.add('zero', 'constant', scalar, extra=msg(8, msg(1, scalar) + msg(8, struct.pack('<f', 0.0))))
    m.add('loss', 'reduce', array(F32, 64), ('old-gemm.1', 'zero'), op_name='jit(train_step)/jit(main)/reduce_sum', file=FILES[3], line=0,
          extra=packed(14, [1]), called=[10])
    m.add('root', 'tuple', tuple_of(big, array(F32, 64)), ('all-reduce-done', 'loss'))
    return m


KERNELS = [  # (operation, kernel, microseconds, registers, shared, occupancy)
    ('cudnn-conv.1', 'sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32', 210, 128, 49152, '25'),
    ('cublas-gemm.1', 'nvjet_tst_128x256_64x4_h_bz_coopA_NNT', 96, 168, 232448, '12.5'),
    ('loop_relu_fusion', 'loop_relu_fusion', 6, 16, 0, '100'),
    ('gemm_fusion_dot', 'gemm_fusion_dot_0', 71, 64, 32768, '37.5'),
    ('attention.1', 'fused_attention_forward_kernel', 133, 255, 16384, '18.75'),
    ('old-gemm.1', 'ampere_bf16_s16816gemm_bf16_64x64', 44, 90, 8192, '56.25'),
    ('all-reduce-start', 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL', 180, 96, 0, '6.25'),
    ('loss', 'input_reduce_fusion', 9, 32, 128, '93.75')]


def gpu_jax():
    """Four GPUs, steps, streams for compute, collectives and copies; launches on the host say hlo_op as kernels do."""
    rng = random.Random(20)
    module = gpu_program()
    hlo, steps, span = module.proto(), 5, 2 * MS
    host, planes, launches, correlation = Plane('/host:CPU'), [], {}, 100
    for device in range(4):
        plane = Plane('/device:GPU:%d' % device, device + 1)
        plane.say(('device_vendor', 'Nvidia'), ('clock_rate', 1980000), ('core_count', 132), ('memory_bandwidth', 3352320000000),
                  ('memory_size', 85045542912), ('compute_cap_major', 9), ('compute_cap_minor', 0))
        lines = {13: [], 14: [], 15: [], 16: []}
        for step in range(steps):
            at = step * span + 150 * US + device * 3 * US
            for op, kernel, us, regs, shared, occupancy in KERNELS:
                correlation += 1
                duration = us * US + rng.randrange(US)
                said = [('tf_op', ('ref', 'XlaModule:')), ('hlo_op', ('ref', op)), ('hlo_module', ('ref', module.name)), ('program_id', module.ident)]
                details = 'regs:%d static_shared:%d dynamic_shared:0 grid:%d,1,1 block:256,1,1 occ_pct:%s' % (regs, shared, 8 * us, occupancy)
                to = 15 if 'all-reduce' in op else 13
                lines[to].append((plane.meta(kernel), at, duration, [('correlation_id', correlation), ('kernel_details', ('ref', details))] + said +
                                  ([('cuda_graph_exec_id', 3)] if op == 'loss' else [])))
                launch = at - (20 + rng.randrange(15)) * US
                launches.setdefault(device, []).append((host.meta('cuLaunchKernel'), launch, 5 * US + rng.randrange(US),
                                                        [('device_id', device), ('correlation_id', correlation)] + said))
                at += duration + rng.randrange(12) * US if to == 13 else 4 * US
            for kind, to, offset, size in (('MemcpyH2D', 14, 0, 4 << 20), ('MemcpyD2H', 16, 900, 256), ('MemcpyP2P', 16, 950, 1 << 16)):
                correlation += 1
                start = step * span + (20 + offset) * US
                lines[to].append((plane.meta(kind), start, (size >> 14) * US + 2 * US,
                                  [('correlation_id', correlation), ('memcpy_details', 'kind_src:pinned kind_dst:device size:%d dest:%d async:1' % (size, device))]))
                launches[device].append((host.meta('cuMemcpyAsync'), start - 9 * US, 4 * US, [('device_id', device), ('correlation_id', correlation),
                                        ('memcpy_details', 'size:%d' % size)]))
        for ident, name in ((13, 'Compute,MemcpyD2D'), (14, 'MemcpyH2D'), (15, 'Compute'), (16, 'MemcpyD2H,MemcpyP2P')):
            plane.line(ident, 'Stream #%d(%s)' % (ident, name), lines[ident], ts=5000)
        planes.append(plane)
    threads = []
    for step in range(steps):
        threads.append((host.meta('train'), step * span, span - 100 * US, [('step_num', 40 + step), ('_r', 1)]))
        threads.append((host.meta('PjitFunction(train_step)'), step * span + 10 * US, 400 * US, [('_pt', 9), ('_p', step + 1)]))
        threads.append((host.meta('$train.py:12 train_step'), step * span + 5 * US, 500 * US, []))
    host.line(1, 'python3', threads, ts=5000)
    for device, events in launches.items():
        host.line(50 + device, 'Host Threads/%d' % (50 + device), events, ts=5000, display='Host Threads/%d' % (50 + device))
    allocations, used = [], 1 << 30
    for step in range(steps):
        for i, size in enumerate((3 << 20, 1 << 20, -(3 << 20), -(1 << 20))):
            used += size
            allocations.append((host.meta('MemoryAllocation' if size > 0 else 'MemoryDeallocation'), step * span + (100 + 200 * i) * US, 0,
                                [('allocator_name', 'GPU_0_bfc'), ('bytes_reserved', 0), ('bytes_allocated', used), ('bytes_available', (64 << 30) - used), ('fragmentation', 0.125),
                                 ('peak_bytes_in_use', (1 << 30) + (4 << 20)), ('requested_bytes', abs(size)), ('allocation_bytes', abs(size)), ('addr', 4096 + i % 2), ('tf_op', 'jit_train_step')]))
    host.line(90, 'pjrt/allocator', allocations, ts=5000)
    names = [e[1] for e in module.entry]
    host.line(91, '_counters_', [(host.meta(name), i * MS + 7 * US, 0, [(unit, float(i * i % 7) + .5)])
                                 for name, unit in (('GPU power', 'watts'), ('GPU clock', 'MHz')) for i in range(10)], ts=5000)
    assert all(k[0] in names for k in KERNELS)
    space = b''.join(p.bytes() for p in planes) + host.bytes() + programs([(module.name, module.ident, hlo)]).bytes() + msg(4, 'gpu-host')
    write('gpu_jax', 'train', 'gpu-host', space)


def gpu_configs():
    """A program for each kind of backend config, and kernels that say where they come from."""
    m = Module('configs', 1)
    small = array(F32, 4, 4)
    m.add('p0', 'parameter', small)
    shapes = {'': small, 'complex': array(C64, 4, 4), 'pair': tuple_of(array(C64, 4, 4), array(S32, 8))}
    for i, (target, text, shape) in enumerate(CONFIGS):
        m.add('call.%d' % i, 'custom-call', shapes[shape], ('p0',), extra=call(target, text))
    m.add('root', 'tuple', tuple_of(*[shapes[c[2]] for c in CONFIGS]), ['call.%d' % i for i in range(len(CONFIGS))])
    write('gpu_configs', 'configs', 'host0', programs([('configs', 1, m.proto(False))]).bytes())
    m = Module('paths', 2)
    m.add('p0', 'parameter', small)
    for i, path in enumerate(PATHS):
        m.add('op.%d' % i, 'negate', small, ('p0',), op_name='jit(f)/neg%d' % i, file=path, line=10 + i)
    m.add('root', 'tuple', tuple_of(small), ('op.0',))
    plane, events = Plane('/device:GPU:0', 1), []
    for i, op in enumerate(['op.%d' % i for i in range(len(PATHS))] + ['op.11', 'op.12', 'op.13', 'op.11::op.13']):
        events.append((plane.meta('kernel_%d' % i), i * 2 * US, US, [('kernel_details', 'regs:32 occ_pct:50'), ('hlo_op', op), ('hlo_module', 'paths'), ('program_id', 2)]))
    events.append((plane.meta('own'), 100 * US, US, [('kernel_details', 'x'), ('source', '/a/b/own.py:5'), ('tf_op', 'jit(f)/own:Op')]))
    plane.line(20, 'Stream #20(Compute)', events)
    write('gpu_configs', 'paths', 'host0', plane.bytes() + programs([('paths', 2, m.proto(False))]).bytes())


PATHS = ['', '/', 'a/', 'a//b.py', 'C:\\a\\b.py', './x.py', '/x.py', 'é/ü.py', 'a/b/', 'a b/c d.py', '<stdin>', '/home/u/train.py', '/opt/train.py',
         'train.py', 'a/..', '.', 'http://h/a.py?b/c']


def _configs():
    q = '"wait_on_operation_queues":[]'
    plain = ['{"operation_queue_id":"0",%s,"x":1}' % q, '{%s,"x":1}' % q, '{"x":1,%s}' % q, '{%s}' % q,
             '{"a":1, "wait_on_operation_queues" : [ ] , "x":1}', '{"a":1,\n\t"wait_on_operation_queues"\n:\f[\n]\v,"x":1}',
             '{"a":1,\n\t"wait_on_operation_queues"\r\n:\f[\n]\t,\n "x":1}', '{"wait_on_operation_queues":["1"],"x":1}', '{%s,%s,"x":1}' % (q, q),
             '{"n":{%s,"y":2},%s,"x":1}' % (q, q), 'text %s, more' % q, '"%s,"' % q, '{"wait_on_operation_queues":null,"x":1}', '{%s,,"x":1}' % q,
             '{"x":"\\"wait_on_operation_queues\\":[],"}', "{'wait_on_operation_queues':[],'x':1}", q + ',', '', '{}', '[]', 'plain', '{"b":1,"a":2}',
             '{"b":1.50, "a":2e0}', '{"a":"é\\n"}', 'é\x01', '{"a":1,"WAIT_on_operation_queues":[],"x":1}', q + ' ,, y']
    out = [('target', c, '') for c in plain]
    conv = lambda inner, top='"force_earliest_schedule":false': '{"operation_queue_id":"0","cudnn_conv_backend_config":{%s},%s}' % (inner, top)
    gemm = lambda inner: '{"operation_queue_id":"0","gemm_backend_config":{%s},"force_earliest_schedule":false}' % inner
    base = '"conv_result_scale":1,"side_input_scale":0,"algorithm":{"algo_id":"7","math_type":"DEFAULT_MATH","tuning_knobs":{},"is_cudnn_frontend":false,"workspace_size":"7150336"},"leakyrelu_alpha":0'
    for kind in ('Forward', 'BackwardInput', 'BackwardFilter', 'BiasActivationForward', 'ForwardGraph', 'ReorderFilter', 'olution', 'ForwardX'):
        out.append(('__cudnn$conv' + kind, conv('"activation_mode":"kRelu",' + base), ''))
    inner = ['"activation_mode":"%s",' % a + base for a in ('kNone', 'kSigmoid', 'kRelu6', 'kReluX', 'kTanh', 'kBandPass', 'kElu', 'kLeakyRelu', 'kGeluExact', 'kBogus')]
    inner += ['"activation_mode":%s,' % a + base for a in ('3', '"2"', '42', '-1', 'null', '2.0', '2.5', 'true')]
    inner += ['"conv_result_scale":' + a for a in ('1', '1.5', '0', '-0', '0.1', '1e10', '3.14159265', '"2.5"', '"NaN"', '"Infinity"', '123456789', '0.000012345', '100000', '1000000', 'null', 'true', '"x"', '1e400')]
    inner += ['"side_input_scale":%s,"conv_result_scale":1' % a for a in ('1', '2', '0.5')]
    inner += ['"conv_result_scale":1,"algorithm":' + a for a in (
        '{"algo_id":"3","tuning_knobs":{"2":"3","10":"-1","1":"0"},"is_cudnn_frontend":true,"workspace_size":"1"}', '{"algo_id":3,"math_type":1}', '{}', 'null',
        '{"algo_id":-5}', '{"algo_id":"9223372036854775807"}', '{"algo_id":"9223372036854775808"}', '{"algo_id":1e2}', '{"algo_id":1.5}', '{"tuning_knobs":{"x":1}}',
        '{"tuning_knobs":[]}', '{"tuning_knobs":{"1":null}}', '{"math_type":"BOGUS"}', '{"is_cudnn_frontend":"true"}', '{"is_cudnn_frontend":1}', '{"bogus":1}', '[]', '"x"', '{"workspace_size":-1}')]
    inner += ['"leakyrelu_alpha":0.2,"activation_mode":"kLeakyRelu"', '"serialized_graph":"a"', '"serialized_graph":1', '"reordered_int8_nchw_vect":true', '"bogus":1', '']
    out += [('__cudnn$convForward', conv(i), '') for i in inner]
    tops = ['"force_earliest_schedule":null', '"reification_cost":[{"end_to_end_cycles":1.5,"name":"x"}]', '"reification_cost":[{"bogus":1}]', '"device_type":"DEVICE_TYPE_HOST"',
            '"device_type":"BOGUS"', '"device_type":7', '"bogus":1', '"gemm_backend_config":{}', '"fusion_backend_config":null', '"wait_on_operation_queues":["1"],"x":1', q, q + ',"device_type":0']
    out += [('__cudnn$convForward', conv(base, t), '') for t in tops]
    out += [('__cudnn$convForward', c, '') for c in ('', '{}', 'null', '[]', 'x', '{"cudnn_conv_backend_config":[]}', '{"gemm_backend_config":{}}', '{"fusion_backend_config":{"kind":"x"}}',
            '{"operation_queue_id":"x"}', '{"operation_queue_id":true}', '{"algorithm":{"algo_id":"1"},"conv_result_scale":1}')]
    lt = '__cublas$lt$matmul'
    for target in (lt, lt + '$f8', lt + '$mx', '__cublas$lt$groupedMatmul', '__cublas$gemm', '__triton_gemm', '__cublas$triangularSolve'):
        out.append((target, gemm(GEMM % 'DEFAULT'), ''))
    out += [(lt, gemm((GEMM + more) % 'DEFAULT'), '') for more in (',"mx_mode":false', ',"autotune_workspace_size":"0"', ',"scale_mode":0,"has_d_scale":true')]
    for i in ('', '"alpha_real":1', '"alpha_real":1,"alpha_imag":1', '"alpha_real":2,"alpha_imag":3', '"alpha_real":0.5,"beta":0.25', '"selected_algorithm":0', '"selected_algorithm":null', DIMS):
        out += [(lt, gemm(i), shape) for shape in ('', 'complex', 'pair')]
    out += [(lt, gemm('"alpha_real":1,' + i), '') for i in (
        '"dot_dimension_numbers":{"lhs_contracting_dimensions":["1","2"],"rhs_contracting_dimensions":["0","3"],"lhs_batch_dimensions":["0"],"rhs_batch_dimensions":["5","6"]}',
        '"dot_dimension_numbers":{"lhs_contracting_dimensions":"1"}', '"dot_dimension_numbers":{"lhs_contracting_dimensions":[1,2.0,null]}', '"dot_dimension_numbers":null', '"epilogue":"BIAS"',
        '"epilogue":"BOGUS"', '"epilogue":3', '"precision_config":{"operand_precision":["HIGHEST",1]}', '"precision_config":{"operand_precision":["PACKED_NIBBLE"]}', '"precision_config":{"algorithm":"ALG_X"}',
        '"lhs_stride":"x"', '"scale_mode":2147483648', '"scale_mode":"7"', '"grad_x":null')]
    return out + [(lt, '{"alpha_real":1,"beta":0}', ''), (lt, '', ''), (lt, conv(base), ''), ('__cudnn$convForward', gemm(GEMM % 'RELU'), '')]


CONFIGS = _configs()


def gpu_tf():
    """TensorFlow on two hosts with two GPUs each: executor threads, streams, the lines it derives (Steps too), no HLO."""
    for host_number in range(2):
        rng = random.Random(30 + host_number)
        host, space, correlation, base = Plane('/host:CPU'), b'', 0, 700000 + 5000 * host_number
        launches, ops = {0: [], 1: []}, []
        layers = [('model/conv_%d/Conv2D' % i, 'Conv2D', 'volta_scudnn_128x64_relu_interior_nn_v1', 300) for i in range(4)]
        layers += [('model/dense/MatMul', 'MatMul', 'volta_sgemm_128x64_nn', 190), ('gradients/model/dense/MatMul_grad', 'MatMul', 'volta_sgemm_64x32_nt', 210),
                   ('Adam/update', 'ResourceApplyAdam', 'ApplyAdamKernel', 40)]
        for device in range(2):
            plane = Plane('/device:GPU:%d' % device, device + 1)
            plane.say(('clock_rate', 1530000), ('core_count', 80), ('memory_bandwidth', 898048000000), ('memory_size', 16945512448), ('compute_cap_major', 7), ('compute_cap_minor', 0))
            compute, copies, derived = [], [], {'Steps': [], 'TensorFlow Name Scope': [], 'TensorFlow Ops': []}
            for step in range(3):
                at = begin = step * 7 * MS + 500 * US
                for name, kind, kernel, us in layers:
                    correlation += 1
                    duration = us * US + rng.randrange(20 * US)
                    compute.append((plane.meta(kernel), at, duration, [('group_id', step), ('correlation_id', correlation), ('tf_op', ('ref', '%s:%s' % (name, kind))),
                                   ('kernel_details', ('ref', 'regs:%d static_shared:0 dynamic_shared:0 grid:64,1,1 block:128,1,1 occ_pct:50' % (32 + us % 64)))]))
                    derived['TensorFlow Ops'].append((plane.meta('%s:%s' % (name, kind), name.split('/')[-1]), at, duration, [('group_id', step)]))
                    derived['TensorFlow Name Scope'].append((plane.meta(name.split('/')[0]), at, duration, [('group_id', step)]))
                    launches[device].append((host.meta('cudaLaunchKernel'), at - 60 * US, 8 * US, [('device_id', device), ('correlation_id', correlation), ('group_id', step)]))
                    at += duration + rng.randrange(80) * US
                correlation += 1
                copies.append((plane.meta('MemcpyH2D'), begin - 300 * US, 250 * US, [('group_id', step), ('correlation_id', correlation), ('memcpy_details', 'kind_src:pageable kind_dst:device size:1605632 dest:0 async:0'), ('tf_op', ('ref', 'IteratorGetNext:IteratorGetNext'))]))
                derived['Steps'].append((plane.meta(str(step)), begin - 300 * US, at - begin + 300 * US, [('group_id', step), ('step_name', str(step))]))
                if device == 0:
                    ops.append((host.meta('train'), step * 7 * MS, 6 * MS, [('step_num', step), ('_r', 1), ('group_id', step)]))
                    ops.append((host.meta('EagerKernelExecute'), step * 7 * MS + 50 * US, 5 * MS, [('group_id', step)]))
            plane.line(20, 'stream #20(Compute)', compute, ts=base)
            plane.line(21, 'stream #21(MemcpyH2D)', copies, ts=base)
            for i, (name, events) in enumerate(derived.items()):
                plane.line(30 + i, name, events, ts=base)
            space += plane.bytes()
        host.line(1, 'python3', ops, ts=base)
        for device in launches:
            host.line(10 + device, 'tf_Compute/%d' % (10 + device), launches[device], ts=base)
        host.line(40, 'tf_data_iterator_get_next/40', [(host.meta('Iterator::Prefetch'), s * 7 * MS + 10 * US, 400 * US, [('id', s + 1), ('group_id', s)]) for s in range(3)] +
                  [(host.meta('Iterator::Prefetch::Map', 'Iterator::Map'), s * 7 * MS + 60 * US, 300 * US, [('id', s + 101), ('parent_id', s + 1)]) for s in range(3)], ts=base)
        used, events = 4 << 20, []
        for i in range(24):
            size = (1 << 20) if i % 2 == 0 else -(1 << 19)
            used += size
            events.append((host.meta('MemoryAllocation' if size > 0 else 'MemoryDeallocation'), i * 800 * US, 0,
                           [('allocator_name', 'gpu_host_bfc'), ('bytes_reserved', 0), ('bytes_allocated', used), ('bytes_available', (1 << 33) - used), ('fragmentation', i / 64), ('peak_bytes_in_use', 1 << 25),
                            ('requested_bytes', abs(size) - 8), ('allocation_bytes', abs(size)), ('addr', 1 << 20 | i), ('tf_op', 'model/dense/MatMul'), ('id', 0), ('data_type', 1), ('tensor_shapes', '[256,1024]')]))
        host.line(41, 'python', events, ts=base)
        write('gpu_tf', 'train', 'worker%d' % host_number, space + host.bytes() + msg(4, 'worker%d' % host_number))


def cpu_tf():
    """TensorFlow on the CPU: steps, their graph on executor threads, and functions that tf.data runs on its own, which are no steps."""
    host, main, data, work = Plane('/host:CPU'), [], [], []
    for step in range(4):
        at, ident = (1 + step * 5) * MS, -(900 + step)
        main.append((host.meta('train'), at, 4 * MS, [('step_num', step), ('_r', 1)]))
        main.append((host.meta('IteratorGetNextOp::DoCompute'), at + 20 * US, 300 * US, [('id', 70 + step), ('iter_num', 0)]))
        main.append((host.meta('FunctionRun'), at + 500 * US, 3 * MS, [('id', ident), ('_r', 1), ('_pt', 2), ('_p', 5000 + step)]))
        work.append((host.meta('ExecutorState::Process'), at + 600 * US, 900 * US, [('id', ident), ('iter_num', 0), ('_ct', 2), ('_c', 5000 + step)]))
        work.append((host.meta('model/dense/MatMul:MatMul'), at + 700 * US, 400 * US, [('shape', '(float[64,32];float[32,8])')]))
        for i, name in enumerate(('Run', 'RunAsync', 'RunInstantiated', 'RunWithBorrowedArgs', 'Other')):
            start, ident = at + (100 + 400 * i) * US, 31 + 10 * step + i
            data.append((host.meta('InstantiatedCapturedFunction::' + name), start, 90 * US, [('id', ident)]))
            data.append((host.meta('FunctionRun'), start + 100 * US, 150 * US, [('id', ident), ('_r', 1), ('_pt', 2), ('_p', 6000 + ident)]))
            work.append((host.meta('ExecutorState::Process'), at + (1600 + 60 * i) * US, 50 * US, [('id', ident), ('iter_num', 0), ('_ct', 2), ('_c', 6000 + ident)]))
    for ident, name, events in ((1, 'python3', main), (2, 'tf_data_iterator_resource/2', data), (3, 'tf_Compute/3', work)):
        host.line(ident, name, events, ts=7000)
    write('cpu_tf', 'train', 'vm', host.bytes() + msg(4, 'vm'))


def tpu_program():
    """Name, program id, HloProto and the entry's instructions (name, opcode, text) of testdata/tpu_collectives."""
    folder = os.path.join(HERE, 'tpu_collectives/logdir/plugins/profile')
    run = os.path.join(folder, os.listdir(folder)[0])
    with open(os.path.join(run, os.listdir(run)[0]), 'rb') as f:
        plane = get(f.read(), 1)
    entry = get(plane, 4)
    meta = get(entry, 2)
    name, proto = get(meta, 2).decode(), get(get(meta, 5), 6)
    module = get(proto, 1)
    order, listed = {}, {}
    for k, v in fields(get(module, 7)):
        order[get(v, 1, 0)] = get(get(v, 2), 1)
    ids = []
    for k, c in fields(module):
        if k == 3 and get(c, 5, 0) == get(module, 6, 0):
            for k2, i in fields(c):
                if k2 == 2:
                    listed[get(i, 35, 0)] = (get(i, 1).decode(), get(i, 2).decode(), get(get(i, 7), 2).decode(), get(get(i, 7), 3).decode(), get(get(i, 7), 4, 0))
            b = order.get(get(c, 5, 0), b'')
            n = s = 0
            for byte in b:
                n |= (byte & 127) << s
                s += 7
                if byte < 128:
                    ids.append(n)
                    n = s = 0
    return name, get(meta, 1, 0), proto, [listed[i] for i in ids or sorted(listed)]


STILL = ('parameter', 'constant', 'tuple', 'get-tuple-element', 'bitcast', 'after-all')


def chip(number, host_number, program, clock):
    """One chip: the host-aligned clock drifts against its own, and jumps where the collector aligned anew."""
    name, ident, _, instructions = program
    rng = random.Random(1000 * host_number + number)
    plane = Plane('/device:TPU:%d' % number, 2 + 8 * number)
    plane.say(('core_details', num(1, number) + num(2, 0)), ('device_type_string', 'TPU v5 lite'), ('peak_teraflops_per_second', 197.0), ('peak_hbm_bw_gigabytes_per_second', 819.0),
              ('peak_vmem_rd_bw_gigabytes_per_second', 12000.0), ('peak_vmem_wr_bw_gigabytes_per_second', 9000.0), ('has_megacore', 0), ('has_merged_vmem', 1))
    modules, ops, pairs, steps, waits, began = [], [], [], [], [], {}
    for step in range(6):
        own = begin = clock + step * 3 * MS
        aligned = lambda t: t + 40 * US + (t - clock) // 50000 + (90 * US if step >= 4 else 0)
        for symbol, (op, opcode, op_name, file, line) in enumerate(instructions, 1):
            if opcode in STILL:
                continue
            us = {'fusion': 60, 'while': 200, 'copy': 9}.get(opcode, 45 if opcode.endswith('-done') and (step + number) % 3 == 0 else 1 if '-' in opcode else 20)
            duration = us * US + rng.randrange(US) * 2
            stats = [('hlo_category', opcode), ('program_id', ident if ident < 1 << 63 else ident - (1 << 64)), ('symbol_id', symbol), ('flops', 1000 * us), ('model_flops', 1000 * us), ('bytes_accessed', 4096 * us),
                     ('raw_bytes_accessed', 4096 * us), ('shape_with_layout', 'bf16[128,128]{1,0:T(8,128)(2,1)}'), ('tf_op', op_name + ':')]
            if file:
                stats += [('source', '%s:%d' % (file, line)), ('source_stack', '%s:%d:1' % (file, line))]
            meta = plane.meta('%%%s = bf16[128,128]{1,0} %s(...)' % (op, opcode), op, stats)
            ops.append((meta, aligned(own), duration + duration // 50000, [('device_offset_ps', own), ('device_duration_ps', duration)]))
            if opcode.endswith('-start'):
                began[op] = (meta, own)
            elif opcode.endswith('-done') and op.replace('-done', '-start') in began:
                meta, at = began.pop(op.replace('-done', '-start'))
                pairs.append((meta, aligned(at), aligned(own + duration) - aligned(at), [('hlo_op', op), ('_a', 1), ('flow', 7000 + len(pairs)), ('id', len(pairs))]))
                waits.append((plane.meta('dependency-wait'), aligned(own), duration // 2, []))
            own += duration + rng.randrange(3) * US
        modules.append((plane.meta(name), aligned(begin), aligned(own) - aligned(begin), [('run_id', step + 1), ('replica_id', number), ('queue_id', 0), ('core_type', 0), ('_ct', 12), ('_c', 9000 + 10 * number + step),
                        ('device_offset_ps', begin), ('device_duration_ps', own - begin)]))
        steps.append((plane.meta(str(step)), aligned(begin), aligned(own) - aligned(begin), [('device_offset_ps', begin), ('device_duration_ps', own - begin), ('step_idle_time_ps', (own - begin) // 20)]))
    for ident, line, events in ((1, 'Steps', steps), (2, 'XLA Modules', modules), (3, 'XLA Ops', ops), (4, 'Async XLA Ops', pairs), (6, 'XLA TraceMe', waits)):
        plane.line(ident, line, events)
    plane.line(8, '_counters_', [(plane.meta('HBM read'), clock + i * 2 * MS, 0, [('GB/s', 400.0 + 37 * (i * (number + 3) % 5))]) for i in range(9)])
    return plane


def tpu_run():
    """Two hosts with two chips each, six steps of one program on both clocks, asynchronous pairs, counters, allocations."""
    program = tpu_program()
    for host_number in range(2):
        host, space, clock = Plane('/host:CPU'), b'', 5 * MS + host_number * 120 * US
        for number in range(2):
            space += chip(number, host_number, program, clock).bytes()
        main, threads = [], []
        for step in range(6):
            at = 4 * MS + step * 3 * MS
            main.append((host.meta('train'), at, 2900 * US, [('step_num', step + 10), ('_r', 1)]))
            main.append((host.meta('PjitFunction(step)'), at + 30 * US, 300 * US, []))
            for number in range(2):
                threads.append((host.meta('tpu::System::Execute'), at + (100 + 50 * number) * US, 40 * US, [('_pt', 12), ('_p', 9000 + 10 * number + step), ('device_ordinal', number)]))
        host.line(11, 'python3', main, ts=0)
        host.line(12, 'TpuExecute/12', threads, ts=0)
        used, events = 2 << 30, []
        for i in range(36):
            size = (64 << 20) if i % 3 else -(128 << 20)
            used += size
            events.append((host.meta('MemoryAllocation' if size > 0 else 'MemoryDeallocation'), 4 * MS + i * 500 * US, 0,
                           [('allocator_name', '%d' % (i % 2)), ('bytes_reserved', 1 << 28), ('bytes_allocated', used), ('bytes_available', (15 << 30) - used), ('fragmentation', i / 100), ('peak_bytes_in_use', 3 << 30),
                            ('requested_bytes', abs(size)), ('allocation_bytes', abs(size)), ('addr', (1 << 32) + i % 3), ('tf_op', 'jit_step'), ('id', i), ('region_type', 'temp'), ('data_type', 1), ('tensor_shapes', '[1024,16384]')]))
        host.line(13, 'allocator/13', events, ts=0)
        space = space + programs([(program[0].split('(')[0], program[1], program[2])]).bytes() + host.bytes() + msg(4, 'tpu-host-%d' % host_number)
        write('tpu_run', 'train', 'tpu-host-%d' % host_number, space)
        if host_number == 0:
            write('cut', 'tpu', 'tpu-host-0', space[:len(space) * 3 // 5])


def cut():
    """The first 60 % of a capture, as a full disk leaves them; tpu_run writes another."""
    path = os.path.join(HERE, 'cpu_mlp_train/logdir/plugins/profile/run0/host0.xplane.pb')
    with open(path, 'rb') as f:
        space = f.read()
    write('cut', 'cpu', 'host0', space[:len(space) * 3 // 5])


ALL = {'gpu_jax': gpu_jax, 'gpu_configs': gpu_configs, 'gpu_tf': gpu_tf, 'cpu_tf': cpu_tf, 'tpu_run': tpu_run, 'cut': cut}

if __name__ == '__main__':
    for wanted in sys.argv[1:] or ALL:
        ALL[wanted]()
