#!/usr/bin/env python3
"""Asks a running server for trace_viewer@ of every run of a log directory and compares with model.py.

  check.py LOGDIR BASE_URL [-n EVENTS]      EVENTS: how many single events are asked for of each run

Whole trace, with copies, windows, single events with their arguments, searches. Prints what differs, one
example of each kind, and 'N of M runs equal'."""
import glob, json, os, random, sys, urllib.error, urllib.parse, urllib.request

import model
from introsort import introsort


def ask(base, **q):
    url = base.rstrip('/') + '/data/plugin/profile/data?' + urllib.parse.urlencode(q, errors='surrogateescape')
    for _ in range(3):
        try:
            with urllib.request.urlopen(url, timeout=60) as h:
                return json.loads(h.read().decode('utf8', 'surrogateescape'))
        except urllib.error.HTTPError as e:
            if e.code != 503:
                return {'error': '%d %s' % (e.code, e.read()[:200])}
        except ValueError as e:
            return {'error': 'no JSON: %s' % e}
    return {'error': 'busy'}


WORD = ['', '', 'tf_exec', 'tfrt_exec', 'batch_sched', 'PjRt', 'as_batch_sched', 'tfrt_rt', 'tpu_embed', 'gpu_launch', 'batcher',
        'tpu_stream', 'tpu_launch', 'pathways_exec', 'pjrt_library_call', 'threadpool_event', 'jax_serving', 'sparsecore_offload']


def value(v):
    if isinstance(v, float):
        return v if v == v and abs(v) != float('inf') else 'NaN' if v != v else 'Infinity' if v > 0 else '-Infinity'
    return str(v) if isinstance(v, int) and abs(v) > 1 << 53 else v


def wanted(events, args):
    """the model's events as JSON would have them, counters gathered"""
    out, counters = [], {}
    for v in events:
        if v.counter:
            counters.setdefault((v.pid, v.name), []).append((v.ts, [value(x) for _, x in v.args]))
            continue
        e = {'pid': v.pid, 'name': v.name, 'ts': v.ts}
        if v.group is not None:
            a = {'group_id': v.group}
        else:
            a = {}
        sf = None
        if args:
            for k, x in v.args:
                if k == 'long_name' and isinstance(x, str) and len(x.encode('utf8', 'surrogateescape')) > 16 and sf is None:
                    sf = x
                    continue
                a[k] = value(x)
        if v.serial:
            e['z'] = v.serial
        e['sf'] = sf
        if v.tid is not None:
            e.update(tid=v.tid, dur=max(v.dur, 1), ph='X', args=a if args else dict(a, uid=v.serial))
            if v.flow is not None:
                e['flow'] = v.flow
                e['ends'] = v.ends
                e['cat'] = WORD[v.cat]
            out.append(e)
            continue
        e.update(flow=v.flow, cat=WORD[v.cat])
        if v.ends == 3:
            out.append(dict(e, ph='b', args=a if args else dict(a, uid=v.serial)))
            out.append(dict(e, ph='e', ts=v.ts + v.dur, args={k: x for k, x in a.items() if k == 'group_id'}, sf=None))
        else:
            out.append(dict(e, ph='b' if v.ends == 2 else 'e' if v.ends == 1 else '', args=a if args else dict(a, uid=v.serial)))
    return out, {k: sorted(v, key=str) for k, v in counters.items()}


def given(j):
    out, counters, proc = [], {}, {}
    sf = {k: v['name'] for k, v in j.get('stackFrames', {}).items()}
    for e in j['traceEvents']:
        if not e:
            continue
        if e['ph'] == 'M':
            p = proc.setdefault(e['pid'], ['', {}])
            if e['name'] == 'process_name':
                p[0] = e['args']['name'].split(' ', 1)[1]
            elif e['name'] == 'thread_name':
                p[1][e['tid']] = e['args']['name']
            continue
        if e['ph'] == 'C':
            counters.setdefault((e['pid'], e['name']), []).extend((round(x[0] * 1e6), x[1:]) for x in e['entries'])
            continue
        o = {'pid': e['pid'], 'name': e['name'], 'ts': round(e['ts'] * 1e6), 'ph': e['ph'], 'args': e.get('args', {}), 'sf': sf.get(str(e.get('sf')))}
        if 'z' in e:
            o['z'] = e['z']
        if e['ph'] == 'X':
            o.update(tid=e['tid'], dur=round(e['dur'] * 1e6))
            if 'bind_id' in e:
                o.update(flow=e['bind_id'], cat=e.get('cat', ''), ends=(2 if e.get('flow_out') else 0) + (1 if e.get('flow_in') else 0))
        else:
            o.update(flow=e['id'], cat=e.get('cat', ''))
        out.append(o)
    return proc, out, {k: sorted(v, key=str) for k, v in counters.items()}


def settle(events):
    """in one order, flows numbered by where they are met first"""
    events = sorted(events, key=lambda e: (e['ts'], -e.get('dur', 0), e['pid'], e.get('tid', -1), e['name'], e.get('z', 0), e['ph']))
    ids = {}
    return [dict(e, flow=ids.setdefault(e['flow'], len(ids))) if 'flow' in e else e for e in events]


def differ(a, b):
    a, b = [json.dumps(x, sort_keys=True) for x in settle(a)], [json.dumps(x, sort_keys=True) for x in settle(b)]
    if a == b:
        return None
    i = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return '%d/%d events, first\n      XProf %s\n      ours  %s' % (len(a), len(b), a[i][:400] if i < len(a) else None, b[i][:400] if i < len(b) else None)


def is_copy(v, proc):
    return v.ends == 3 and '/device:TPU:' in proc[v.pid][0]


def one(run, path, base, introsort, rng, count):
    data = open(path, 'rb').read()
    proc, events = model.build(data, introsort)
    bad = {}

    def same(what, q, want, args=False):
        j = ask(base, run=run, tag='trace_viewer@', host='host0', **q)
        if 'error' in j:
            bad.setdefault(what, str(q) + ' ' + j['error'])
            return
        p, got, counters = given(j)
        w, wc = wanted(want, args)
        d = differ(w, got)
        if d:
            bad.setdefault(what, '%s %s' % (q, d))
        if wc != counters:
            bad.setdefault(what + ' counters', '%s\n      XProf %s\n      ours  %s' % (q, str(wc)[:300], str(counters)[:300]))
        if {k: list(v) for k, v in proc.items()} != p:
            x = [(k, v) for k, v in sorted(proc.items()) if list(v) != p.get(k)]
            y = [(k, v) for k, v in sorted(p.items()) if v != list(proc.get(k, []))]
            bad.setdefault('rows', '\n      XProf %s\n      ours  %s' % (str(x)[:400], str(y)[:400]))
        if j['returnedEventsSize'] != len(want):
            bad.setdefault(what + ' size', '%s %d != %d' % (q, len(want), j['returnedEventsSize']))
        return j
    plain = [v for v in events if not is_copy(v, proc)]
    j = same('whole', dict(resolution=0), plain)
    same('copies', dict(resolution=0, full_dma='true'), events)
    spans = [v for v in events if 0 <= v.ts < 1 << 62 and v.dur >= 0]
    if j and spans:
        lo, hi = min(v.ts for v in spans), max(v.ts + v.dur for v in spans)
        if [float('%.6g' % (lo / 1e9)), float('%.6g' % (hi / 1e9))] != j['fullTimespan']:
            bad['bounds'] = '%s %s' % ((lo / 1e9, hi / 1e9), j['fullTimespan'])
        for k in range(6):
            pick = rng.choice(spans)
            a = [pick.ts, pick.ts + pick.dur, rng.randint(lo, hi), pick.ts + pick.dur + 1][k % 4]
            b = [pick.ts + pick.dur, hi, rng.randint(lo, hi), a + rng.randint(1, 10 ** 6)][k % 4]
            if not lo <= a < b <= hi:
                continue
            win = [v for v in plain if v.ts <= b and v.ts + v.dur >= a]
            same('window', dict(resolution=rng.choice([0, 100, 8000]), start_time_ms=repr(a / 1e9), end_time_ms=repr(b / 1e9)), win)
    for v in rng.sample(events, min(count, len(events))):
        if v.counter or v.dur == 0 or v.ts > 1 << 51 or v.ts < 0 or v.dur < 0 or v.serial > 255:
            continue
        same('details', dict(event_name=v.name, start_time_ms=repr(v.ts / 1e9), duration_ms=repr(v.dur / 1e9), unique_id=v.serial), [v], True)
    for v in rng.sample(events, min(4, len(events))):
        w = v.name[:rng.randint(1, max(1, len(v.name)))]
        if not w or v.counter or '\udc80' <= max(w) <= '\udcff':
            continue
        same('search', dict(search_prefix=w), [x for x in plain if x.name.startswith(w) and x.name])
        same('search args', dict(search_prefix=w, search_metadata='true'), [x for x in plain if x.name.startswith(w)], True)
    return bad


def main():
    logdir, base = sys.argv[1:3]
    count = int(sys.argv[sys.argv.index('-n') + 1]) if '-n' in sys.argv else 12
    files = sorted(glob.glob(logdir + '/plugins/profile/*/host0.xplane.pb'))
    kinds, ok = {}, 0
    for path in files:
        run = os.path.basename(os.path.dirname(path))
        bad = one(run, path, base, introsort, random.Random(run), count)
        ok += not bad
        for k, v in bad.items():
            kinds.setdefault(k, []).append((run, v))
    for k, v in sorted(kinds.items()):
        print('%s: %d runs, e.g. %s: %s' % (k, len(v), v[0][0], v[0][1]))
    print('%d of %d runs equal' % (ok, len(files)))
    return ok != len(files)


if __name__ == '__main__':
    sys.exit(main())
