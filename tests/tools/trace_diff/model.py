"""XProf's trace_viewer@ as its rules say, computed from the raw file: parse, prepare, group, derive, lay out.

Standard library only and nothing of ours: it judges the server. One host. Left out: TensorFlow loops and
tf.data, GPU derived rows, files that were grouped before, legacy DCN.
"""
import collections, re, struct


# ---- wire ----
def varint(b, i):
    r = s = 0
    while True:
        c = b[i]
        i += 1
        r |= (c & 127) << s
        if c < 128:
            return r & (1 << 64) - 1, i
        s += 7


def fields(b):
    i = 0
    while i < len(b):
        k, i = varint(b, i)
        w = k & 7
        if w == 0:
            v, i = varint(b, i)
        elif w == 2:
            n, i = varint(b, i)
            v = b[i:i + n]
            i += n
        else:
            n = 8 if w == 1 else 4
            v = b[i:i + n]
            i += n
        yield k >> 3, v


def s64(x):
    return x - (1 << 64) if x >> 63 else x


def text(b):
    return b.decode('utf8', 'surrogateescape')


class Stat:
    def __init__(s, name, kind, value):
        s.name, s.kind, s.value = name, kind, value

    def number(s):
        return s.value & (1 << 64) - 1 if s.kind in 'iu' else 0


class Meta:
    name = display = ''
    stats = ()


class Event:
    __slots__ = ('meta', 'start', 'dur', 'stats', 'group', 'line', 'root', 'kids', 'parents')

    def __init__(s, meta, start, dur, stats):
        s.meta, s.start, s.dur, s.stats = meta, start, dur, stats

    end = property(lambda s: s.start + s.dur)

    def get(s, name):           # occurrence first, then metadata
        for t in s.stats:
            if t.name == name:
                return t
        for t in s.meta.stats:
            if t.name == name:
                return t

    def put(s, name, kind, value):
        for t in s.stats:
            if t.name == name:
                t.kind, t.value = kind, value
                return
        s.stats.append(Stat(name, kind, value))


class Line:
    def __init__(s):
        s.id = s.did = s.ts = 0
        s.name = s.dname = ''
        s.events = []


class Plane:
    def __init__(s):
        s.id, s.name, s.lines, s.meta, s.known = 0, '', [], {}, set()

    def named(s, name):
        return next((m for m in s.meta.values() if m.name == name), None)


def read_stat(b, names):
    d = Stat('', '', None)
    mid = 0
    for f, v in fields(b):
        if f == 1:
            mid = v
        elif f == 2:
            d.kind, d.value = 'd', struct.unpack('<d', v)[0]
        elif f == 3:
            d.kind, d.value = 'u', v
        elif f == 4:
            d.kind, d.value = 'i', s64(v)
        elif f == 5:
            d.kind, d.value = 's', text(v)
        elif f == 6:
            d.kind, d.value = 'b', v
        elif f == 7:
            d.kind, d.value = 's', names.get(v, '')
    d.name = names.get(mid, '')
    return d


def read_line(b, p, names):
    l, rows = Line(), []
    for f, v in fields(b):
        if f == 1:
            l.id = v
        elif f == 2:
            l.name = text(v)
        elif f == 3:
            l.ts = s64(v)
        elif f == 4:
            rows.append(v)
        elif f == 10:
            l.did = v
        elif f == 11:
            l.dname = text(v)
    for r in rows:
        mid = off = dur = 0
        stats = []
        for f, v in fields(r):
            if f == 1:
                mid = v
            elif f == 2:
                off = s64(v)
            elif f == 3:
                dur = s64(v)
            elif f == 4:
                stats.append(read_stat(v, names))
        e = Event(p.meta.get(mid) or Meta(), l.ts * 1000 + off, dur, stats)
        e.line = l
        l.events.append(e)
    return l


def read(b):
    """[Plane], hostnames ignored: flow ids are only compared with each other."""
    planes = []
    for f, v in fields(b):
        if f != 1:
            continue
        p, lines, metas, names = Plane(), [], {}, {}
        for g, w in fields(v):
            if g == 1:
                p.id = s64(w)
            elif g == 2:
                p.name = text(w)
            elif g == 3:
                lines.append(w)
            elif g in (4, 5):
                d = dict(fields(w))
                if g == 4:
                    metas[d.get(1, 0)] = d.get(2, b'')
                else:
                    names[d.get(1, 0)] = text(dict(fields(d.get(2, b''))).get(2, b''))
        for k, m in metas.items():
            o = Meta()
            o.stats = []
            for g, w in fields(m):
                if g == 2:
                    o.name = text(w)
                elif g == 4:
                    o.display = text(w)
                elif g == 5:
                    o.stats.append(read_stat(w, names))
            p.meta[k] = o
        p.known = set(names.values())
        p.lines = [read_line(x, p, names) for x in lines]
        planes.append(p)
    return planes


# ---- prepare: stats that make flows ----
HOSTS = {'/host:CPU', 'Host CPUs', '/host:tfstreamz', '/host:metadata', 'Syscalls', '/host:python-tracer',
         '/host:CUPTI', '/host:__ScopeRangeCallStack__'}
QUEUE = ['RunProgramRequest', 'HostCallbackRequest', 'TransferH2DRequest', 'TransferPreprocessedH2DRequest',
         'TransferD2HRequest', 'OnDeviceSendRequest', 'OnDeviceRecvRequest', 'OnDeviceSendRecvLocalRequest',
         'CustomWait', 'OnDeviceSendRequestMulti', 'OnDeviceRecvRequestMulti', 'PjrtAsyncWait']
REGION = 'ThreadpoolListener::'


def is_device(p):
    return p.name not in HOSTS and p.name.startswith(('/device', '#Chip', '/custom:'))


def regions(p):
    if not p.named(REGION + 'StartRegion') or not p.named(REGION + 'StopRegion'):
        return
    meta = p.named(REGION + 'Region') or Meta()
    meta.name = REGION + 'Region'
    for l in p.lines:
        start = 0
        new = []
        for e in l.events:
            if e.meta.name == REGION + 'StartRegion':
                if any(t.name == '_c' for t in e.stats):
                    start = e.start
            elif e.meta.name == REGION + 'StopRegion' and start != 0:
                n = Event(meta, start, e.start - start, [])     # recorded answers show neither flow nor group
                n.line = l
                new.append(n)
        if new:
            l.events = sorted(l.events + new, key=lambda e: (e.start, -e.dur))


def own(e, name):
    return next((t.number() for t in e.stats if t.name == name), None)


def connect(p, l, e, names, type_name, id_name, kind, key):
    if all(n in p.known for n in names):
        v = [own(e, n) for n in names]
        if None not in v:
            e.put(type_name, 'i', kind)
            e.put(id_name, 'i', hash((kind, tuple(key + v) + (own(e, 'core_type') or 0,) if kind == 12 else tuple(v))))


def prepare(p):
    regions(p)
    core = re.fullmatch(r'/device:TPU:([0-9]*)', p.name)
    for l in p.lines:
        for e in l.events:
            n = e.meta.name
            if n in ('ProcessBatch', 'OrbaxServing::ProcessBatch'):
                e.put('_r', 'i', 2)
            elif n == 'BatchingSessionRun':
                e.put('_r', 'i', 1)
            elif n == 'EnqueueRequestLocked' or n in QUEUE:
                out = n == 'EnqueueRequestLocked'
                connect(p, l, e, ['request_id', 'queue_addr'], '_pt' if out else '_ct', '_p' if out else '_c', 11, [])
            elif n in ('DoEnqueueProgram', 'CompleteCallbacks', 'DoEnqueueContinuationProgram'):
                run = own(e, 'run_id')
                if run is not None:
                    e.put('run_id', 'i', run & (1 << 27) - 1)
                out = n == 'DoEnqueueProgram'
                if n[2:] != 'EnqueueContinuationProgram':
                    connect(p, l, e, ['device_ordinal', 'queue_id', 'run_id'], '_pt' if out else '_ct',
                            '_p' if out else '_c', 12, [])
            elif core and core[1] and l.name == 'XLA Modules':
                connect(p, l, e, ['queue_id', 'run_id'], '_ct', '_c', 12, [int(core[1])])
    out = 1 if is_device(p) else 2   # 1 in, 2 out
    for l in p.lines:
        for e in l.events:
            s = {t.name: t.number() for t in e.stats}
            new = []
            if 'correlation_id' in s:
                new.append((out, 9, ('corr', s['correlation_id'])))
            for a, b, d in (('_pt', '_p', 2), ('_ct', '_c', 1)):
                if a in s and b in s:
                    t = s[a] if s[a] <= 17 else 0
                    new.append((d, t, ('ctx', s[b], t)))
            e.stats += [Stat('flow', 'f', x) for x in new]


# ---- groups ----
IMPLICIT = {'FunctionRun', 'SessionRun', 'RunGraph', 'ExecutorState::Process'}
STEPS, MODULES = ('Steps', 'Sparse Core Steps'), ('XLA Modules', 'Sparse Core Modules')


def grouping_line(p):
    steps = modules = None
    for l in p.lines:
        if l.name in STEPS:
            steps = l
        elif l.name in MODULES:
            modules = l
    return steps if steps and steps.events else modules if modules and modules.events else None


def includes(a, b):
    return a.start <= b.start and b.end <= a.end


def overlaps(a, b):
    return a.start <= b.end and b.start <= a.end


class Forest:
    def __init__(s):
        s.ctx = collections.defaultdict(lambda: ([], []))
        s.nodes, s.cores, s.names, s.next = [], [], {}, 0

    def add(s, e, root):
        e.kids, e.parents, e.group, e.root = [], [], None, 0
        r = next((s64(t.number()) for t in reversed(e.stats) if t.name == '_r'), None)
        if root and r is None and e.meta.name == 'TraceContext':
            r = 1
        if root and r:
            e.root = r
        s.nodes.append(e)

    def context(s, e, node):
        v = {t.name: t.number() for t in e.stats}
        for a, b, side in (('_pt', '_p', 0), ('_ct', '_c', 1)):
            if a in v and b in v:
                s.ctx[v[a], v[b]][side].append(node)

    def tpu(s, p, core):
        g = grouping_line(p)
        if not g:
            return
        for e in g.events:
            s.add(e, False)
            s.context(e, e)
        for l in p.lines:
            i = 0
            for e in l.events if l is not g else ():
                while i < len(g.events) and g.events[i].end <= e.start:
                    i += 1
                if i == len(g.events):
                    break
                if includes(g.events[i], e):
                    s.context(e, g.events[i])
        if core:
            s.cores.append(g.events)

    def plane(s, p):
        core = re.fullmatch(r'/device:TPU:[0-9]+', p.name)
        if p.name.startswith('/device:TPU:'):
            if core or re.fullmatch(r'/device:TPU:[0-9]+ SparseCore (\w+ )?[0-9]+', p.name):
                s.tpu(p, core)
            return
        for l in p.lines:
            open_ = []
            for e in l.events:
                s.add(e, True)
                s.context(e, e)
                if any(t.name == '_a' and t.number() for t in e.stats):
                    continue
                while open_ and not includes(open_[-1], e):
                    open_.pop()
                if open_:
                    s.link(open_[-1], e)
                open_.append(e)

    def link(s, a, b):
        a.kids.append(b)
        b.parents.append(a)

    def up(s, e, test, self_):
        seen, q = {id(e)}, collections.deque([e] if self_ else e.parents)
        seen |= {id(x) for x in q}
        while q:
            n = q.popleft()
            if test(n):
                return n
            for x in n.parents:
                if id(x) not in seen:
                    seen.add(id(x))
                    q.append(x)

    def needs(s, e):
        return e.group is None and not s.up(e, lambda n: n.root and n.root == e.root, False)

    def ancestor(s, e, name):
        n = s.up(e, lambda n: n.get(name), True)
        return n and n.get(name)

    def process(s, e, g):
        q, seen = collections.deque([e]), {id(e)}
        while q:
            n = q.popleft()
            if n.group is None:
                n.group = g
                for k in n.kids:
                    if id(k) not in seen:
                        seen.add(id(k))
                        q.append(k)
        kind = s.ancestor(e, 'graph_type')
        implicit = e.meta.name in IMPLICIT or e.line.name in STEPS + MODULES
        name = str(kind.value) + ' ' if kind else '' if implicit else e.meta.name + ' '
        num = s.ancestor(e, 'iter_num') or s.ancestor(e, 'step_num')
        name += str((num.value if num.kind == 'i' else 0) if num else g)
        if not implicit:
            e.put('step_name', 's', name)
        s.names[g] = name

    def run(s, planes):
        for p in planes:
            s.plane(p)
        for producers, consumers in s.ctx.values():
            if len(producers) < 64 or len(consumers) < 64:
                for a in producers:
                    for b in consumers:
                        s.link(a, b)
        launch = {}
        for p in planes:
            for l in p.lines if p.name == '/host:CPU' else ():
                for e in l.events:
                    if e.get('correlation_id'):
                        launch[e.get('correlation_id').number()] = e
        for p in planes:
            for l in p.lines if p.name != '/host:CPU' and not p.name.startswith('/device:TPU:') else ():
                for e in l.events:
                    c = e.get('correlation_id')
                    if c and c.number() in launch:
                        s.link(launch[c.number()], e)
        for e in sorted((e for e in s.nodes if e.root), key=lambda e: (-e.root, e.start, -e.dur)):
            if s.needs(e):
                s.process(e, s.next)
                s.next += 1
        if all(s.needs(e) for c in s.cores for e in c):
            for c in s.cores:
                g = s.next
                for e in c:
                    if s.needs(e):
                        s.process(e, g)
                        g += 1


def merge_steps(l):
    kept, last = [], None
    for e in l.events:
        if e.group is None:
            last = None
        elif last is None or last.group != e.group:
            kept.append(e)
            last = e
        else:
            last.dur = e.end - last.start
    if kept:
        l.events = kept


def group_plane(p, names):
    g = grouping_line(p)
    if not g:
        return
    for e in g.events:
        e.group = getattr(e, 'group', None)
    steps = [l for l in p.lines if l.name in STEPS]
    if steps:
        for e in steps[-1].events:
            e.group = getattr(e, 'group', None)
        merge_steps(steps[-1])
        for e in steps[-1].events:
            if e.group in names and names:
                e.stats.append(Stat('step_name', 's', names[e.group]))
    first = {id(e): e.group for e in g.events}    # a second group_id does not hide the first from the next look
    for l in p.lines:
        if steps and l is steps[-1]:
            continue
        at, cur = -1, None
        for k, e in enumerate(l.events):
            if cur is None or not overlaps(cur, e):
                cur = g.events[at] if at >= 0 and overlaps(g.events[at], e) else None
                i = at + 1
                while cur is None and i < len(g.events) and g.events[i].start <= e.end:
                    if g.events[i].end >= e.start:
                        at = i
                        cur = g.events[i] if overlaps(g.events[i], e) else None
                        break
                    i += 1
            v = None if cur is None else first[id(cur)]
            if v is not None:
                e.group = v
            elif not hasattr(e, 'group'):
                e.group = None


# ---- derived rows of a TensorCore ----
TF, TT = re.compile(r'[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*'), re.compile(r'[A-Z_][a-zA-Z0-9_]*')
JT = re.compile(r'[a-z_][a-z0-9_]*(\[.*\])?')
COPY = {'MEMCPYHTOD': 'MemcpyHToD', 'MEMCPYDTOH': 'MemcpyDToH', 'MEMCPYDTOD': 'MemcpyDToD', 'MEMCPYHTOH': 'MemcpyHToH'}


def parse_op(full):
    """caption, scopes"""
    if ':' not in full:
        return COPY.get(full[:10].upper()) or full.rstrip(' \t\n\v\f\r'), []
    left, right = full.split(':', 1)
    if left == 'Iterator':
        return 'Iterator::' + right.split(':')[-1], []
    scopes = left.split('/')[:-1]
    t = right or re.sub(r'_[0-9]+$', '', left.split('/')[-1])
    if TF.fullmatch(left) and TT.fullmatch(right):
        return t, scopes
    if JT.fullmatch(t):
        return t.split('[')[0], scopes
    if not right:
        return t, scopes
    return full.rstrip(' \t\n\v\f\r'), []


class Row:
    def __init__(s, *deps):
        s.out, s.open, s.deps = [], [], deps

    def close(s, level):
        if level < len(s.open):
            top = s.open[-1]
            cap = int((top.end - top.start) / 1000) - 1
            k, prev = 0, None
            for e in s.open[level:] if len(s.open) - level >= 2 else ():
                if k < cap and prev == (e.start, e.dur):
                    k += 1
                prev = (e.start, e.dur)
                e.dur -= 1000 * k
            del s.open[level:]
        if level == 0:
            for d in s.deps:
                d.close(0)

    def emit(s, level, meta, e):
        if level < len(s.open):
            o = s.open[level]
            if o.meta is meta and o.group == e.group and (e.group is not None or o.end + 2 * o.dur >= e.start):
                o.dur = max(o.end, e.end) - o.start
                return
        s.close(level)
        n = Event(meta, e.start, e.dur, [])
        n.group = e.group
        s.out.append(n)
        s.open.append(n)

    def stack(s, metas, e):
        for i, m in enumerate(metas):
            s.emit(i, m, e)
        if metas:
            s.close(len(metas))


WORDS = ['copy-start', 'copy-done', 'dynamic-slice-start', 'dynamic-slice-done', 'dynamic-update-slice-start',
         'dynamic-update-slice-done']


def derive(p, introsort):
    made = {}

    def meta(name, display=''):
        m = p.named(name) or made.get(name)
        if not m:
            m = made[name] = Meta()
            m.name = name
        if display and not m.display:
            m.display = display
        return m
    ops, src = Row(), Row()
    scopes = Row(ops)
    rows, fifo, offload = [], collections.defaultdict(collections.deque), []
    events = [e for l in p.lines for e in l.events]
    introsort(events, lambda a, b: (a.start, a.dur) < (b.start, b.dur))
    for e in events:
        if not hasattr(e, 'group'):
            e.group = None
        s = {t.name: t for t in list(e.meta.stats) + e.stats}
        if '_a' in s and s['_a'].number():
            continue
        v = s['tf_op'].value if 'tf_op' in s and s['tf_op'].kind == 's' else ''
        if v:
            caption, names = parse_op(v)
            scopes.stack([meta(n) for n in names], e)
            ops.emit(0, meta(v, caption), e)
        v = s['source'].value if 'source' in s and s['source'].kind == 's' else ''
        if v:
            src.emit(0, meta(v), e)
        d = e.meta.display
        if any(w in d for w in WORDS) and 'S(5)' in e.meta.name:
            part = d.split('.')
            i = d.find('-start') if '-start' in d else d.find('-done')
            key = 'offload-%s.%s' % (d[:i], part[-1] if len(part) > 1 else '0')
            if '-start' in d:
                fifo[key].append(e)
            elif fifo[key]:
                a = fifo[key].popleft()
                best, least = -1, a.start
                for k, end in enumerate(rows):
                    if end <= least:
                        best, least = k, end
                if best < 0:
                    if len(rows) < 41:
                        rows.append(e.end)
                        offload.append([])
                    best = len(rows) - 1
                rows[best] = max(rows[best], e.end)
                m = Meta()
                m.display = key
                m.stats = []
                n = Event(m, a.start, e.end - a.start, [Stat('_a', 'i', 1)])
                n.stats += [Stat(t.name, 'i', t.value) for t in e.meta.stats if t.name == 'raw_bytes_accessed']
                n.stats += [Stat(t.name, 's', t.value) for t in a.meta.stats if t.name == 'shape_with_layout']
                n.group = None
                offload[best].append(n)
    scopes.close(0)
    base = 0xdeadbeef
    new = [(base + 2, 'Framework Name Scope', scopes.out), (base + 3, 'Framework Ops', ops.out), (base + 7, 'Source code', src.out)]
    new += [(base + 8 + i, 'Host Offload Ops row %d' % i, r) for i, r in enumerate(offload)]
    p.lines = [l for l in p.lines if l.events]
    for i, name, out in new:
        if out:
            l = Line()
            l.id, l.name, l.events = i, name, out
            p.lines.append(l)


# ---- what is shown ----
INTERNAL_EVENT = {'MemoryAllocation', 'MemoryDeallocation', 'PrefetchProduce', 'PrefetchConsume', 'ParallelInterleaveProduce',
                  'ParallelInterleaveConsume', 'ParallelInterleaveInitializeInput', 'ParallelMapProduce', 'ParallelMapConsume',
                  'MapAndBatchProduce', 'MapAndBatchConsume', 'ParseExampleProduce', 'ParseExampleConsume'}
INTERNAL_STAT = {'_pt', '_p', '_ct', '_c', '_r', 'flops', 'program_id', 'symbol_id'}


class Shown:
    tid = flow = None
    ends = cat = serial = 0


def show(e, pid, tid, counter):
    n = e.meta.name
    if n in INTERNAL_EVENT:
        return None
    v = Shown()
    v.args = []
    v.name = e.meta.display or n
    if e.meta.display:
        v.args.append(('long_name', n if len(n) <= 10000 else n[:10000] + '...<truncated>'))
    step, async_ = '', False
    stats = list(e.meta.stats) + e.stats
    if getattr(e, 'group', None) is not None:
        stats = stats + [Stat('group_id', 'i', e.group)]
    v.group = None
    for t in stats:
        if t.name in INTERNAL_STAT or t.kind in ('', 'b'):
            continue
        if t.kind in 'iuf' and t.name in ('flow', 'group_id', '_a'):
            if t.name == 'flow':
                x = t.value if t.kind == 'f' else (t.number() & 3, t.number() >> 58, t.number() >> 2 & (1 << 56) - 1)
                v.ends, v.cat, v.flow = x[0], x[1] if x[1] <= 17 else 0, x[2]
            elif t.name == 'group_id':
                v.group = t.value
            else:
                async_ = True
            continue
        if t.name == 'step_name' and t.kind == 's':
            step = t.value
        v.args.append((t.name, t.value))
    v.name = step or v.name
    v.pid, v.tid, v.ts, v.dur = pid, tid, e.start, e.dur
    v.counter = counter
    if counter:
        v.tid, v.flow, v.dur, v.group = None, None, 0, None
    elif v.flow is not None and async_:
        v.tid = None
    return v


def order(v):
    return (v.ts, -v.dur, v.pid, v.tid is None, v.tid or 0)     # ties in file order, as recorded


def lay_out(planes, base):
    """processes {pid: (plane name, {tid: caption})}, events in XProf's order with serials"""
    proc, out = {}, []
    hosts = sorted((p for p in planes if p.name.startswith('/host:CPU')), key=lambda p: p.name)
    todo = [(701 + i, p) for i, p in enumerate(hosts)]
    dev = [p for p in planes if p.name.startswith('/device:GPU:')] or [p for p in planes if p.name.startswith('/device:TPU:')]
    todo += [(1 + p.id & 0xffffffff if (1 + p.id & 0xffffffff) <= 500 else 1, p) for p in dev]
    todo += [(501 + p.id, p) for p in planes if p.name.startswith('/device:CUSTOM:')]
    for pid, p in todo:
        if not p.lines:
            continue
        pid += base
        name, rows = proc.get(pid, ('', {}))
        proc[pid] = (p.name, rows)
        for l in p.lines:
            if not l.events or l.name.startswith('counters_'):
                continue
            counter = l.name == '_counters_'
            tid = (l.did or l.id) & 0xffffffff
            if not counter:
                rows[tid] = l.dname or l.name
            out += [v for v in (show(e, pid, tid, counter) for e in l.events) if v]
    out.sort(key=order)
    last = None
    for v in out:
        v.serial = v.serial if v.ts != last else n + 1
        n = v.serial
        last = v.ts
    return proc, out


def build(data, introsort, base=1000):
    planes = read(data)
    for p in planes:
        prepare(p)
    f = Forest()
    f.run(planes)
    if any(p.name.startswith('/device:TPU:') for p in planes):
        for p in planes:
            if is_device(p):
                group_plane(p, f.names)
    for p in planes:
        if re.fullmatch(r'/device:TPU:[0-9]*', p.name):
            derive(p, introsort)
    return lay_out(planes, base)
