#!/usr/bin/env python3
"""Writes many small profiles: generated ones, and mutations of real ones.

  generate.py OUT_LOGDIR COUNT [REAL.xplane.pb ...]      one run for each, r000, r001, ...

The same number gives the same file. Lines are sorted as collectors leave them."""
import os, random, struct, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../support'))
from wire import msg, num, vi


class Plane:
    def __init__(s, name, ident):
        s.name, s.ident, s.stat, s.meta, s.lines = name, ident, {}, [], []

    def sid(s, name):
        return s.stat.setdefault(name, len(s.stat) + 1)

    def stats(s, field, stats, rng):
        out = b''
        for k, v in stats:
            b = num(1, s.sid(k))
            if isinstance(v, float):
                b += vi(2 << 3 | 1) + struct.pack('<d', v)
            elif isinstance(v, bytes):
                b += msg(6, v)
            elif isinstance(v, str):
                b += msg(5, v) if rng.random() < .7 else vi(7 << 3) + vi(s.sid(v))
            elif isinstance(v, tuple):
                b += vi(3 << 3) + vi(v[0])
            else:
                b += vi(4 << 3) + vi(v)
            out += msg(field, b)
        return out

    def event_meta(s, name, display='', stats=(), rng=random):
        i = len(s.meta) + 1
        s.meta.append((i, num(1, i) + msg(2, name) + (msg(4, display) if display else b'') + s.stats(5, stats, rng)))
        return i

    def line(s, ident, name, events, rng, ts=0, did=0, dname=''):
        """events: (metadata, offset, duration, stats)"""
        b = num(1, ident) + msg(2, name) + num(3, ts) + num(10, did) + (msg(11, dname) if dname else b'')
        for m, off, dur, stats in sorted(events, key=lambda e: (e[1], -e[2])):
            b += msg(4, num(1, m) + num(2, off) + num(3, dur) + s.stats(4, stats, rng))
        s.lines.append(b)

    def bytes(s):
        out = num(1, s.ident) + msg(2, s.name)
        for l in s.lines:
            out += msg(3, l)
        for i, m in s.meta:
            out += msg(4, num(1, i) + msg(2, m))
        for name, i in s.stat.items():
            out += msg(5, num(1, i) + msg(2, num(1, i) + msg(2, name)))
        return msg(1, out)


TEXT = ['', 'x', 'a b', 'jit(f)/jit(main)/add:', 'jit(f)/jit(main)/mul:', 'jit(f)/while/body/dot_general[a=1]:', 'model/dense/MatMul:MatMul',
        'MEMCPYHtoD', 'abc:model/layer/MatMul_1  ', 'Iterator:Prefetch::Map', 'a/add_12:', 'é<&>\u2028', 'a/b/c/d/Add:', ':', 'transpose(jvp(f))/mul:',
        'a long text of more than sixteen letters', 'x' * 40]


def nest(rng, lo, hi, deep, out, dense):
    t = lo
    while t < hi and len(out) < 60:
        d = rng.choice([0, 1, 1000, rng.randint(0, max(1, (hi - t) // 2)), rng.randint(0, max(1, (hi - t) // 8))])
        d = min(d, hi - t)
        out.append((t, d))
        if deep and d > 3 and rng.random() < .6:
            nest(rng, t + rng.choice([0, 0, rng.randint(0, d // 3)]), t + d, deep - 1, out, dense)
        t += d + rng.choice([0, 0, 1, rng.randint(0, max(1, (hi - lo) // dense))])
        if d == 0 and rng.random() < .7:
            t += rng.randint(0, max(1, (hi - lo) // dense))
    return out


def issue(rng, what, t):
    """a new id; ids are used up to here only by events that start later, so that nothing makes itself"""
    rng.ids = getattr(rng, 'ids', [])
    rng.ids.append((what, len(rng.ids) + 1, t))
    return len(rng.ids)


def use(rng, what, t):
    old = [i for w, i, at in getattr(rng, 'ids', []) if w == what and at < t]
    return rng.choice(old) if old and rng.random() < .9 else 10 ** 6 + rng.randint(0, 9)


def contexts(rng, s, t, cpu=False):
    kind = [0, 1, 2, 5, 7, 12, 15, 16, 17, 40]
    if rng.random() < .12:
        k = rng.choice(kind)
        s += [('_pt', k), ('_p', issue(rng, k, t))]
    if rng.random() < .12:
        k = rng.choice(kind)
        s += [('_ct', k), ('_c', use(rng, k, t))]
    if cpu and rng.random() < .02:
        s += [('correlation_id', (rng.randint(1, 6),))]
    if rng.random() < .04:
        s += [('flow', (rng.randint(1, 3) | rng.randint(1, 5) << 2 | rng.choice([0, 5, 11]) << 58,))]
    return s


def some_args(rng, s):
    if rng.random() < .3:
        s += [(rng.choice(['arg', 'bytes', 'name', 'hlo_op', 'program_id', 'flops', 'kernel_details', 'util (util %)', 'id', 'n' * 300]),
               rng.choice([rng.choice(TEXT), 1, -5, 1 << 53, (1 << 53) + 1, -(1 << 60), (1 << 64) - 1 and ((1 << 64) - 1,), 0.5, 1e300,
                           float('inf'), float('-inf'), float('nan'), b'\1\2', 123456789.123]))]
    return s


def host(rng, p, span):
    roots = rng.random() < .7
    metas = [p.event_meta(n, rng.choice(['', '', '', 'shown as ' + n]), some_args(rng, []), rng) for n in
             ['f', 'train', 'TraceContext', 'MemoryAllocation', 'DoEnqueueProgram', 'CompleteCallbacks', 'EnqueueRequestLocked',
              'RunProgramRequest', 'SomeRequest', 'ThreadpoolListener::Record', 'f2',
              'f3', 'SessionRun', 'PrefetchProduce', 'ProcessBatch', '$file.py:3 g', 'a name of more than thirty-two letters', '',
              'é"<>&']]
    for k in range(rng.randint(1, 4)):
        events = []
        for t, d in nest(rng, rng.randint(0, span // 4), span, 3, [], 12):
            m = rng.choice(metas[:2] * 3 + metas)
            if 'CUSTOM' in p.name and metas.index(m) in (3, 13):    # hidden there too, by XProf only
                m = metas[0]
            s = some_args(rng, contexts(rng, [], t, p.name == '/host:CPU'))
            if rng.random() < .04 and roots:
                s += [('_r', rng.choice([1, 1, 1, 2, 0, -1]))]
                if rng.random() < .8:
                    s += [('step_num', rng.choice([rng.randint(0, 9), -3]))]
            if rng.random() < .1 and any(x[0] == 'flow' for x in s):
                d, s = 0, s + [('_a', 1)]
            if rng.random() < .02:
                s += [('step_name', rng.choice(['named', '']))]
            if metas.index(m) in (4, 5):
                s = [x for x in s if x[0][0] != '_'] + [('run_id', issue(rng, 'run', t) if metas.index(m) == 4 else use(rng, 'run', t) | rng.choice([0, 0, 1 << 27])), ('device_ordinal', rng.randint(0, 1))]
                if rng.random() < .9:
                    s += [('queue_id', 0)]
            if metas.index(m) in (6, 7, 8):
                s += [('request_id', issue(rng, 'queue', t) if metas.index(m) == 6 else use(rng, 'queue', t)), ('queue_addr', 7)]
            if metas.index(m) in (9, 10):
                s = [x for x in s if x[0] not in ('_c', '_ct', '_p', '_pt')] + ([('_pt', 15), ('_p', k * 5 + len(events))] if metas.index(m) == 9 else [('_ct', 15), ('_c', 10 ** 7)])
            if metas.index(m) in (3, 13):       # XProf hides them: instants, as they are
                d, s = 0, []
            events.append((m, t, d, s))
        name = rng.choice(['main', 'pool/%d' % k, '', 'counters_x', 'tf_data'])
        p.line(1000 + k if name == 'counters_x' else rng.choice([k + 1, 1 << 40 | k + 11, k + 70]), name, events, rng,
               rng.choice([0, 0, 5]), 0 if name == 'counters_x' else rng.choice([0, 0, 0, k + 31]), rng.choice(['', '', 'named row']))
    if rng.random() < .3:
        power = [p.event_meta(n, '', (), rng) for n in ['power', 'a counter with a name longer than 32 letters']]
        p.line(99, '_counters_', [(rng.choice(power), rng.randint(0, span), 0, [('watts', rng.choice([(5,), 2.5, 7]))]) for _ in range(9)], rng)


def once(p, spans):
    """no two operations of a chip with the same start and duration: their order is an accident of a sort"""
    p.seen = getattr(p, 'seen', set())
    return [x for x in spans if not (x in p.seen or p.seen.add(x))]


def tpu(rng, p, span, sparse):
    pre = 'Sparse Core ' if sparse else ''
    n, runs, steps = rng.randint(2, 6), [], []
    t = rng.randint(0, 1000)
    mods = [p.event_meta('jit_f(%d)' % i, '', (), rng) for i in (1, 2)]
    for k in range(n):
        d = rng.randint(1, span // (n + 1))
        runs.append((t, d))
        t += d + rng.choice([0, 0, 1, rng.randint(0, span // 20)])
    if rng.random() < .6:
        one = [p.event_meta(str(10 + i), '', (), rng) for i in range(n)]
        if rng.random() < .3:
            steps = [(one[i], a, d, contexts(rng, [], a)) for i, (a, d) in enumerate(runs)]
        else:
            steps = [(one[i], runs[i][0], runs[min(i + 1, n - 1)][0] + runs[min(i + 1, n - 1)][1] - runs[i][0], [('step_idle_time_ps', 5)]) for i in range(0, n, 2)]
        p.line(1, pre + 'Steps' if not sparse else 'Sparse Core Steps', steps, rng)
    p.line(2, 'XLA Modules' if not sparse else 'Sparse Core Modules',
           [(rng.choice(mods), a, d, [('run_id', use(rng, 'run', a)), ('core_type', 0)] + ([('queue_id', 0)] if rng.random() < .9 else [])) for a, d in runs], rng)
    ops = []
    for i in range(8):
        k = rng.choice(['fusion', 'copy-start', 'copy-done', 'dynamic-slice-start', 'while', 'add'])
        d = k + rng.choice(['', '.%d' % rng.randint(1, 2), '.'])
        s = [('tf_op', rng.choice(TEXT))] if rng.random() < .7 else []
        s += [('source', rng.choice(['a.py:1', 'b.py:2', '']))] if rng.random() < .6 else []
        s += [('hlo_category', 'fusion'), ('flops', 5), ('bytes_accessed', 7), ('raw_bytes_accessed', 9), ('shape_with_layout', 'f32[1]{0:S(5)}')]
        s += [('_a', 1)] if rng.random() < .05 else []
        ops.append(p.event_meta('%%%s = f32[]%s %s(%d)' % (d, rng.choice(['{:S(5)}', '']), k, i), rng.choice([d, d, d, '']), s, rng))
    for i, name in enumerate([pre + 'Ops' if sparse else 'XLA Ops', 'XLA TraceMe', 'Something']):
        if i == 0 or rng.random() < .4:
            ev = []
            for t0, d0 in [(a, a + d) for a, d in runs] + [(0, span)] * (i > 0):
                ev += [(rng.choice(ops), a, d, some_args(rng, contexts(rng, [], a)) if rng.random() < .3 else []) for a, d in once(p, nest(rng, t0, d0, 2, [], 6))]
            p.line(3 + 3 * i, name, ev[:150], rng)
    if rng.random() < .6 and not sparse:
        a = p.event_meta('%copy-start.9 = f32[]{:S(5)}', 'async-copy', (), rng)
        p.line(4, 'Async XLA Ops', [(a, rng.randint(0, span), rng.randint(0, span // 3),
                                     [('flow', (rng.choice([3, 3, 3, 1, 2]) | (100 + i) << 2,)), ('_a', 1)]) for i in range(rng.randint(1, 9))], rng)


def space(seed):
    rng = random.Random(seed)
    span = rng.choice([1000, 10 ** 6, 10 ** 10, 10 ** 13])
    planes = []
    kind = rng.choice(['host', 'tpu', 'tpu', 'tpu', 'custom'])
    names = ['/host:CPU'] + (['/host:CPU [77]'] if rng.random() < .2 else [])
    for n in names:
        p = Plane(n, rng.choice([0, 5]))
        host(rng, p, span)
        planes.append(p)
    if kind == 'tpu':
        for i in range(rng.randint(1, 2)):
            p = Plane('/device:TPU:%d' % i, 2 + 8 * i)
            tpu(rng, p, span, False)
            planes.append(p)
            if rng.random() < .3:
                p = Plane('/device:TPU:%d SparseCore %d' % (i, 0), 3 + 8 * i)
                tpu(rng, p, span, True)
                planes.append(p)
    if kind == 'custom' or rng.random() < .15:
        p = Plane('/device:CUSTOM:Mega', rng.randint(0, 9))
        host(rng, p, span)
        planes.append(p)
    for n in ['Task Environment', '#Chip0 HBM', '/host:metadata']:
        if rng.random() < .3:
            p = Plane(n, 40)
            p.line(1, 'x', [(p.event_meta('hidden'), 0, span, [])], rng)
            planes.append(p)
    if rng.random() < .2:
        p = Plane(rng.choice(['/device:TPU:7', '/host:CPU 0', '/device:CUSTOM:empty']), 60)
        if rng.random() < .7:
            p.line(1, 'empty', [], rng)
        planes.append(p)
    rng.shuffle(planes)
    return b''.join(p.bytes() for p in planes)


def mutate(data, seed):
    """The same profile with the planes in another order, times stretched or lines renamed: what stays readable."""
    rng = random.Random(seed)
    import model

    def fields(b):
        return list(model.fields(b))

    def put(f, v):
        return msg(f, v) if isinstance(v, bytes) else vi(f << 3) + vi(v)

    def event(b, k):
        out = b''
        for f, v in wire(b):
            if f == 1 and k == 'unknown' and rng.random() < .02:
                v = 1 << 50
            if f in (2, 3) and k == 'coarse':
                v = v // 10 ** 6 * 10 ** 6
            if f == 4 and k == 'stats' and rng.random() < .2:
                continue
            out += again(f, v)
        return out

    def wire(b):
        i = 0
        while i < len(b):
            key, i = model.varint(b, i)
            w = key & 7
            if w == 0:
                v, i = model.varint(b, i)
            elif w == 2:
                n, i = model.varint(b, i)
                v = b[i:i + n]
                i += n
            else:
                v = (w, b[i:i + (8 if w == 1 else 4)])
                i += 8 if w == 1 else 4
            yield key >> 3, v

    def again(f, v):
        return vi(f << 3 | v[0]) + v[1] if isinstance(v, tuple) else put(f, v)

    kind = rng.choice(['unknown', 'coarse', 'stats', 'rows', 'names', 'order'])
    planes = []
    for f, v in wire(data):
        if f != 1:
            planes.append(again(f, v))
            continue
        out = b''
        for g, w in wire(v):
            if g == 3:
                line = []
                for h, x in wire(w):
                    if h == 4 and kind in ('unknown', 'coarse', 'stats'):
                        x = event(x, kind)
                    if h == 10 and kind == 'rows':
                        x = x % 3
                    if h == 1 and kind == 'rows':
                        x = x % 5 + 1
                    line.append((h, x))
                if kind == 'coarse':        # collectors sort
                    def at(x):
                        d = dict(model.fields(x))
                        return d.get(2, 0), -d.get(3, 0)
                    ev = iter(sorted((x for h, x in line if h == 4), key=at))
                    line = [(h, next(ev) if h == 4 else x) for h, x in line]
                w = b''.join(again(h, x) for h, x in line)
            if g == 4 and kind == 'names' and rng.random() < .1:
                continue
            out += again(g, w)
        planes.append(msg(1, out))
    if kind == 'order':
        rng.shuffle(planes)
    return b''.join(planes)


def main():
    out, count, real = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    for i in range(count):
        d = '%s/plugins/profile/r%04d' % (out, i)
        os.makedirs(d, exist_ok=True)
        data = mutate(open(real[i % len(real)], 'rb').read(), i) if real else space(i)
        with open(d + '/host0.xplane.pb', 'wb') as f:
            f.write(data)


if __name__ == '__main__':
    main()
