import { Icon } from '../ui/icons';
import { openHelp } from './help_state';
import { pageSearch } from './page_search';
import { openPalette } from './palette_state';
import { Pickers } from './pickers';
import { hrefOf, flushView, toRuns, view } from './router';
import { runs } from './state';
import { LoadLine } from './strips';
import { nextTheme, themeChoice } from './theme';
import { copyText, toast } from './toast';

export function copyLink(): void {
  flushView();
  void copyText(location.href, 'link');
}

function turnTheme(): void {
  const now = nextTheme();
  toast(now === 'system' ? 'colours as the system says' : `${now} colours`);
}

function SearchBox() {
  const own = pageSearch.value;
  if (own?.text) {
    return (
      <button type="button" class="search-box" onClick={own.open} aria-label={`search of this page: ${own.text}`} title="the search of this page (/)">
        <Icon name="search" size={14} />
        <span class="grow cut strong">{own.text}</span>
        <span class="small soft">{own.count}</span>
        <kbd>/</kbd>
      </button>
    );
  }
  const what = view.value.run ? 'Search ops, buffers' : 'Search runs, modules';
  return (
    <button type="button" class="search-box" onClick={() => openPalette('')} aria-label={`${what}, Ctrl+K`}>
      <Icon name="search" size={14} />
      <span class="grow cut">{what}</span>
      <kbd>Ctrl K</kbd>
    </button>
  );
}

export function Header() {
  const open = view.value.run;
  return (
    <header class="header">
      <a
        class="brand"
        href={hrefOf({ run: null })}
        title="all runs (U)"
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          if (open) toRuns();
        }}
      >
        xprofd
      </a>
      {open ? (
        <Pickers />
      ) : (
        <span class="logdir">
          <span class="small soft">logdir</span>
          <span class="mono strong cut">{runs.value?.root ?? ''}</span>
        </span>
      )}
      <span class="grow" />
      <span class="tools">
        <SearchBox />
        <button type="button" class="icon-btn" onClick={copyLink} title="copy link to this view (Y)" aria-label="copy link">
          <Icon name="link" />
        </button>
        <button
          type="button"
          class="icon-btn"
          onClick={turnTheme}
          title={`colours: ${themeChoice.value}; click for the next`}
          aria-label={`colours: ${themeChoice.value}`}
        >
          <Icon name="theme" />
        </button>
        <button type="button" class="icon-btn" onClick={openHelp} title="keys (?)" aria-label="keys and help">
          <Icon name="help" />
        </button>
      </span>
      <LoadLine />
    </header>
  );
}
