#!/usr/bin/env python3
"""Asks a live XProf about the profiles of testdata/ and keeps what it answers in testdata/NAME/xprof.json.gz.

  python3 -m venv VENV && VENV/bin/pip install xprof==2.24.2
  testdata/record.py VENV/bin/xprof [NAME ...]          without a NAME: every folder that has a logdir
  testdata/record.py --tables VENV/bin/xprof [NAME ...] what its tools of tables answer: testdata/NAME/xprof_tables.json.gz

The file is {"xprof": version, "answers": [{url, status, body}]}. XProf writes beside what it reads, so it gets a copy.
"""
import gzip, http.client, json, os, re, shutil, socket, subprocess, sys, tempfile, time
from urllib.parse import quote, urlencode

HERE = os.path.dirname(os.path.abspath(__file__))
MODULES, NODES, EVENTS = 4, 8, 12                # of each run, module, host
LARGE = 2 << 20                                   # answers above are not kept


class XProf:
    def __init__(s, binary, logdir):
        with socket.socket() as free:
            free.bind(('localhost', 0))
            s.port = free.getsockname()[1]
        s.args = binary, logdir
        s.answers = []
        s.start()

    def start(s):
        binary, logdir = s.args
        s.process = subprocess.Popen([binary, '--logdir', logdir, '--port', str(s.port), '--grpc_port', str(s.port + 1)],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while True:
            try:
                s.version = s.get('/version')[1].decode()
                return
            except OSError:
                if s.process.poll() is not None:
                    sys.exit('xprof ended')
                time.sleep(0.3)

    def get(s, path):
        c = http.client.HTTPConnection('localhost', s.port, timeout=120)
        c.request('GET', '/data/plugin/profile' + path, headers={'Accept-Encoding': 'gzip'})
        r = c.getresponse()
        body = r.read()
        c.close()
        return r.status, gzip.decompress(body) if r.getheader('Content-Encoding') == 'gzip' else body

    def ask(s, route, **params):
        url = route + ('?' + urlencode(params, quote_via=quote, safe='()@,') if params else '')
        try:
            status, body = s.get(url)
        except (OSError, http.client.HTTPException) as e:
            print('  no answer to', url, e)
            s.process.kill()                    # some questions end it
            s.process.wait()
            s.start()
            return 0, b''
        if len(body) <= LARGE:
            s.answers.append({'url': '/data/plugin/profile' + url, 'status': status, 'body': body.decode('utf8', 'replace')})
        return status, body


def nodes_of(text):
    """The root and the entry computation, then one operation of each kind."""
    picks, entry, here = {}, None, None
    for line in text.splitlines():
        if m := re.match(r'(ENTRY )?%?([^\s(]+).*\{$', line):
            here = m[2] if not line.startswith(('HloModule', ' ')) else here
            entry = m[2] if m[1] else entry
        elif (m := re.match(r'\s+(ROOT )?%?(\S+) = (?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|\S+) ([a-z][a-z0-9-]*)\(', line)) and here:
            picks.setdefault('root' if m[1] and here == entry else m[3], m[2])
    first = ['root', 'custom-call', 'while', 'fusion', 'dot', 'convolution', 'all-reduce-start', 'copy-start', 'conditional', 'constant', 'get-tuple-element']
    chosen = [picks[k] for k in first + sorted(picks) if k in picks]
    return list(dict.fromkeys(chosen))[:NODES] + ([entry] if entry else [])


def programs(x, run, host, modules):
    for module in modules:
        q = dict(run=run, host=host, module_name=module)
        for space in (0, 1, 2, 5):
            x.ask('/data', tag='memory_viewer', memory_space=space, **q)
        q['tag'] = 'graph_viewer'
        _, text = x.ask('/data', type='short_txt', **q)
        x.ask('/data', type='long_txt', show_metadata='true', **q)
        x.ask('/data', type='pbtxt', **q)
        for node in nodes_of(text.decode('utf8', 'replace')):
            n = dict(q, node_name=node)
            x.ask('/data', type='adj_nodes', **n)
            x.ask('/data', type='graph', format='dot', graph_width=1, show_metadata='true', **n)
            x.ask('/data', type='graph', format='dot', graph_width=3, **n)
            x.ask('/data', type='graph', format='dot', graph_width=1, merge_fusion='true', **n)
            if re.search(r'\s%s = .* custom-call\(' % re.escape(node), text.decode('utf8', 'replace')):
                x.ask('/data', type='custom_call', **n)


def traces(x, q):
    status, body = x.ask('/data', resolution=0, **q)
    if status != 200:
        return
    trace = json.loads(body)
    low, high = trace.get('fullTimespan') or [0, 0]
    x.ask('/data', resolution=0, full_dma='true', **q)
    for a, b, resolution in ((0, .05, 8000), (.45, .55, 100), (.4995, .5005, 1000), (.95, 1, 0), (-1, 3, 100)):
        x.ask('/data', resolution=resolution, start_time_ms=repr(low + a * (high - low)), end_time_ms=repr(low + b * (high - low)), **q)
    seen = set()
    for e in trace['traceEvents']:
        row = e.get('pid'), e.get('tid')
        if e.get('ph') != 'X' or row in seen or len(seen) == EVENTS:
            continue
        seen.add(row)
        args = e.get('args') or {}
        x.ask('/data', resolution=0, event_name=e['name'], start_time_ms=repr(e['ts'] / 1e3), duration_ms=repr(e['dur'] / 1e3), unique_id=args.get('uid', e.get('z', 0)), **q)
        if len(seen) < 3:
            x.ask('/data', search_prefix=e['name'][:4], **q)
            x.ask('/data', search_prefix=e['name'][:4], search_metadata='true', **q)


def record(x):
    for run in json.loads(x.ask('/runs')[1]):
        x.ask('/run_tools', run=run)
        hosts = []
        for tag in ('trace_viewer@', 'memory_viewer'):
            hosts += [h['hostname'] for h in json.loads(x.ask('/hosts', run=run, tag=tag)[1] or b'[]')]
        hosts = [h for h in dict.fromkeys(hosts) if h and h != 'ALL_HOSTS']
        modules = [m for m in x.ask('/module_list', run=run)[1].decode().split(',') if m and m != 'NO_MODULE']
        programs(x, run, hosts[0] if hosts else '', sorted(modules)[:MODULES])
        for host in hosts:
            x.ask('/data', run=run, host=host, tag='hlo_stats')     # tells of each what it told of the first
            x.ask('/data', run=run, host=host, tag='trace_viewer')
            traces(x, dict(run=run, host=host, tag='trace_viewer@'))
        if len(hosts) > 1:
            traces(x, dict(run=run, hosts=','.join(hosts), tag='trace_viewer@'))


TABLES = ('overview_page input_pipeline_analyzer op_profile hlo_stats roofline_model framework_op_stats kernel_stats memory_profile '
          'pod_viewer inference_profile megascale_stats utilization_viewer perf_counters smart_suggestion kernel_utilization').split()


def tables(x):
    for run in json.loads(x.ask('/runs')[1]):
        x.ask('/run_tools', run=run)
        hosts = [h['hostname'] for h in json.loads(x.ask('/hosts', run=run, tag='hlo_stats')[1] or b'[]')]
        several = ['ALL_HOSTS'] if len(hosts) > 1 else []
        for host in several + hosts:           # XProf tells of a host what it told of all, once it was asked
            for tag in TABLES:
                if several and host != 'ALL_HOSTS' and tag in ('overview_page', 'input_pipeline_analyzer', 'pod_viewer'):
                    continue
                groupings = ('program', 'category', 'provenance') if tag == 'op_profile' else (None,)
                for g in groupings:
                    x.ask('/data', run=run, tag=tag, host=host, **({'group_by': g} if g else {}))
                x.ask('/data_csv', run=run, tag=tag, host=host)


def main():
    asked = tables if sys.argv[1:2] == ['--tables'] else record
    del sys.argv[1:2 if asked is tables else 1]
    binary, names = sys.argv[1], sys.argv[2:]
    for name in names or sorted(n for n in os.listdir(HERE) if os.path.isdir(os.path.join(HERE, n, 'logdir'))):
        scratch = tempfile.mkdtemp()
        shutil.copytree(os.path.join(HERE, name, 'logdir'), os.path.join(scratch, 'logdir'))
        for folder, _, files in os.walk(scratch):       # XProf knows no .gz
            for f in files:
                if f.endswith('.gz'):
                    with gzip.open(os.path.join(folder, f)) as packed, open(os.path.join(folder, f[:-3]), 'wb') as out:
                        shutil.copyfileobj(packed, out)
                    os.remove(os.path.join(folder, f))
        x = XProf(binary, os.path.join(scratch, 'logdir'))
        try:
            asked(x)
        finally:
            x.process.terminate()
            x.process.wait()
            shutil.rmtree(scratch)
        packed = gzip.compress(json.dumps({'xprof': x.version, 'answers': x.answers}, ensure_ascii=False).encode(), 9, mtime=0)
        with open(os.path.join(HERE, name, 'xprof_tables.json.gz' if asked is tables else 'xprof.json.gz'), 'wb') as f:
            f.write(packed)
        print('%s: %d answers, %d not 200, %d bytes' % (name, len(x.answers), sum(a['status'] != 200 for a in x.answers), len(packed)), flush=True)


main()
