/** Links to files of the server: from what the report holds, else a word that it is not there. */
import { ask } from './store';

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** A link that would open in a tab of its own has no name. */
function nameOf(url: string): string {
  const at = new URL(url, 'http://report/');
  const format = at.searchParams.get('format');
  return `${at.pathname.split('/').slice(3).join('-')}.${format === null || format === 'text' ? (format ? 'txt' : 'json') : format}`;
}

async function follow(url: string, name: string): Promise<void> {
  const response = await ask(url);
  if (response.ok) save(await response.blob(), name || nameOf(url));
}

export function startLinks(): void {
  addEventListener(
    'click',
    (event) => {
      const link = (event.target as Element | null)?.closest?.('a');
      const href = link?.getAttribute('href') ?? '';
      if (!link || !href.startsWith('api/v1/')) return;
      event.preventDefault();
      void follow(href, link.download);
    },
    true,
  );
}
