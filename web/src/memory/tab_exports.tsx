/** CSV, JSON and PNG of what a tab shows. */
import { apiUrl, csvUrl } from '../api/client';
import { query } from './buffers_state';
import { ALL_ROWS, csvText, fileName, pictures, savePicture, saveText } from '../app/exports';
import { Pop } from './pop';
import { treeRows } from './tree_rows';
import { foldBytes, inspected, subject, type TabId } from './state';
import { whatIfPlan } from './what_if_state';
import { tree, treeBy, treeParams } from './lower_state';

interface Links {
  csv: string | (() => void);
  json: string;
  name: string;
}

function linksOf(id: TabId): Links | null {
  const step = inspected.value;
  const name = step === null ? 'held' : `step${step}`;
  switch (id) {
    case 'step': {
      const params = { ...subject.value, step, fold_bytes: foldBytes.value, plan: whatIfPlan.value };
      return { csv: csvUrl('memory/live', params), json: apiUrl('memory/live', params), name };
    }
    case 'buffers': {
      // The whole table as filtered, not the page on screen.
      const { by: _, ...params } = query.value;
      return { csv: csvUrl('memory/buffers', params), json: apiUrl('memory/buffers', { ...params, limit: ALL_ROWS }), name: 'buffers' };
    }
    case 'scope': {
      const save = () => {
        if (tree.value)
          saveText(csvText(['part', 'bytes', 'padding_bytes', 'buffers', 'group'], treeRows(tree.value)), fileName(`${name}.${treeBy.value}`, 'csv'));
      };
      return { csv: save, json: apiUrl('memory/tree', treeParams.value), name: `${name}.${treeBy.value}` };
    }
    case 'modules': {
      const params = { run: subject.value.run, hbm: subject.value.hbm };
      return { csv: csvUrl('modules', params), json: apiUrl('modules', params), name: 'modules' };
    }
    default:
      return null;
  }
}

/** The menu of pictures, which are those of the whole page; nothing while there is none. */
export function Pictures() {
  if (pictures.value.length === 0) return null;
  return (
    <Pop label="PNG" title="save a picture">
      {(close) => (
        <ul class="m-menu">
          {pictures.value.map((name) => (
            <li key={name}>
              <button
                type="button"
                class="link"
                onClick={() => {
                  savePicture(name);
                  close();
                }}
              >
                {name}
              </button>
            </li>
          ))}
        </ul>
      )}
    </Pop>
  );
}

/** `picture`: with the menu of pictures. */
export function Exports({ id, picture = true }: { id: TabId; picture?: boolean }) {
  const links = linksOf(id);
  if (!links) return null;
  return (
    <span class="m-exports">
      {typeof links.csv === 'string' ? (
        <a class="btn-s" href={links.csv} download={fileName(links.name, 'csv')}>
          CSV
        </a>
      ) : (
        <button type="button" class="btn-s" onClick={links.csv}>
          CSV
        </button>
      )}
      <a class="btn-s" href={links.json} download={fileName(links.name, 'json')}>
        JSON
      </a>
      {picture ? <Pictures /> : null}
    </span>
  );
}
