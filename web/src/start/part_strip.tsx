import { setView, view } from '../app/router';
import { run } from '../app/state';
import { SeverityIcon } from '../ui/icons';
import { plural } from '../util/format';

/** Some hosts of the run were chosen: what every number covers, what is not there, and the way to all of it. */
export function PartStrip() {
  const only = view.value.only ?? '';
  const open = run.value;
  const out = open?.hosts_left_out ?? [];
  const names = out.length > 6 ? `${out.slice(0, 6).join(', ')} and ${plural(out.length - 6, 'other')}` : out.join(', ');
  return (
    <div class="strip part" role="status">
      <SeverityIcon severity="note" />
      <div class="text">
        <b>
          Only {only.split(',').join(', ')}
          {open && ` of ${plural(open.hosts.filter((host) => host.name).length + out.length, 'host')}`}
        </b>
        : every number here covers {only.includes(',') ? 'these' : 'this host'} alone.{out.length > 0 && ` Not read: ${names}.`}
      </div>
      <div class="actions">
        <button type="button" class="btn" onClick={() => setView({ only: null, host: null }, { push: true })}>
          {out.length > 0 ? 'Read the rest' : 'The whole run'}
        </button>
      </div>
    </div>
  );
}
