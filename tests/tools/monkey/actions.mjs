// What the monkey does: each action chooses with its own random numbers and says in words what it did.
import { calmHash, changedHash, documentedKeys, PALETTE, PASTED, PLAIN, PLAIN_PALETTE, TEXTS } from './words.mjs';
import { targets } from './in_page.mjs';

const CLICKED = 'a[href], button, summary, label, th, [role=tab], [role=option], [role=treeitem], [role=menuitem], [role=row], [role=gridcell], tr, .vt-row, select, input, textarea, [tabindex]';
const FIELDS = 'input:not([type=checkbox]):not([type=radio]):not([type=range]):not([type=file]), textarea';
const WINDOWS = [[1366, 768], [2560, 1440], [900, 700], [1024, 600], [1600, 900], [1920, 1080]];
const WEIGHTS = {
  click: 34, canvas: 9, drag: 7, hover: 6, wheel: 7, type: 8, key: 18, palette: 6, history: 4, reload: 2, resize: 2, theme: 1, address: 6,
  double: 3, held: 3, right: 1, select: 3, focus: 3, splitter: 2, paste: 1,
};

const inside = (random, at) => ({ x: at.x + at.width * random.between(0.02, 0.98), y: at.y + at.height * random.between(0.05, 0.95) });
const place = ({ x, y }) => `${Math.round(x)},${Math.round(y)}`;
const told = (at) => `${at.kind} “${at.name}”`;

async function one(page, random, kinds) {
  return random.of(await page.evaluate(targets, kinds));
}

async function canvas(page, random) {
  return (await one(page, random, 'canvas')) ?? null;
}

const KEYS = documentedKeys();

const DO = {
  async click(page, random) {
    const at = await one(page, random, CLICKED);
    if (!at) return 'nothing to click';
    const point = inside(random, at);
    await page.mouse.click(point.x, point.y);
    return `click ${told(at)} at ${place(point)}`;
  },
  async double(page, random) {
    const at = await one(page, random, `${CLICKED}, canvas`);
    if (!at) return 'nothing to click twice';
    const point = inside(random, at);
    await page.mouse.dblclick(point.x, point.y);
    return `double click ${told(at)} at ${place(point)}`;
  },
  async held(page, random) {
    const at = await one(page, random, `tr, .vt-row, canvas, [role=treeitem], [role=option]`);
    if (!at) return 'nothing to click';
    const point = inside(random, at);
    const key = random.of(['Control', 'Shift', 'Alt']);
    await page.keyboard.down(key);
    await page.mouse.click(point.x, point.y);
    await page.keyboard.up(key);
    return `${key} click ${told(at)} at ${place(point)}`;
  },
  async right(page, random) {
    const at = await one(page, random, `${CLICKED}, canvas`);
    if (!at) return 'nothing to click';
    const point = inside(random, at);
    await page.mouse.click(point.x, point.y, { button: random.of(['right', 'middle']) });
    return `other button ${told(at)} at ${place(point)}`;
  },
  async hover(page, random) {
    const at = await one(page, random, `${CLICKED}, canvas, [title]`);
    if (!at) return 'nothing to point at';
    const point = inside(random, at);
    await page.mouse.move(point.x, point.y, { steps: 3 });
    return `point at ${told(at)} at ${place(point)}`;
  },
  async canvas(page, random) {
    const at = await canvas(page, random);
    if (!at) return 'no canvas';
    const point = inside(random, at);
    await page.mouse.click(point.x, point.y);
    return `click ${told(at)} at ${place(point)}`;
  },
  async drag(page, random) {
    const at = await canvas(page, random);
    if (!at) return 'no canvas to drag on';
    const from = inside(random, at);
    const to = random.chance(0.8) ? inside(random, at) : { x: random.between(-20, at.x + at.width + 40), y: random.between(-20, at.y + at.height + 40) };
    const key = random.chance(0.3) ? random.of(['Shift', 'Control', 'Alt']) : null;
    if (key) await page.keyboard.down(key);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 4 });
    const escape = random.chance(0.08);
    if (escape) await page.keyboard.press('Escape');
    await page.mouse.up();
    if (key) await page.keyboard.up(key);
    return `drag ${key ?? ''} ${told(at)} from ${place(from)} to ${place(to)}${escape ? ', Escape before the end' : ''}`;
  },
  async splitter(page, random) {
    const at = await one(page, random, '[role=separator], [role=slider], input[type=range]');
    if (!at) return 'nothing to pull';
    const from = inside(random, at);
    const by = { x: from.x + random.between(-400, 400), y: from.y + random.between(-300, 300) };
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(by.x, by.y, { steps: 4 });
    await page.mouse.up();
    return `pull ${told(at)} from ${place(from)} to ${place(by)}`;
  },
  async wheel(page, random) {
    const at = random.chance(0.7) ? await canvas(page, random) : await one(page, random, 'main, .vt-row, tr, aside, [role=dialog]');
    if (!at) return 'nothing to turn the wheel on';
    const point = inside(random, at);
    const key = random.chance(0.4) ? random.of(['Shift', 'Alt']) : null;
    await page.mouse.move(point.x, point.y);
    if (key) await page.keyboard.down(key);
    const by = random.of([-2000, -300, -120, -120, 120, 120, 300, 2000, 20000]);
    for (let i = 0; i < 3; i++) await page.mouse.wheel(0, by);
    if (key) await page.keyboard.up(key);
    return `wheel ${key ?? ''} 3 x ${by} on ${told(at)} at ${place(point)}`;
  },
  async type(page, random, known, temper) {
    const at = await one(page, random, FIELDS);
    if (!at) return 'no field';
    const text = random.of(temper.wild ? TEXTS : PLAIN);
    await page.mouse.click(at.x + at.width / 2, at.y + at.height / 2);
    if (random.chance(0.7)) await page.keyboard.press('Control+KeyA');
    // As if typed: a key each for what is short.
    if (text.length < 40 && random.chance(0.5)) await page.keyboard.type(text);
    else await page.keyboard.insertText(text);
    const end = random.of(['', '', '', 'Enter', 'Escape', 'Tab', 'Shift+Enter', 'Control+Enter']);
    if (end) await page.keyboard.press(end);
    return `type ${JSON.stringify(text.slice(0, 60))} ${end} into ${told(at)}`;
  },
  async key(page, random) {
    const key = random.of(KEYS);
    const times = random.of([1, 1, 1, 1, 2, 5, 12]);
    for (let i = 0; i < times; i++) await page.keyboard.press(key);
    return `key ${key}${times > 1 ? ` ${times} times` : ''}`;
  },
  async focus(page, random) {
    const times = 1 + random.below(12);
    const key = random.of(['Tab', 'Tab', 'Shift+Tab']);
    for (let i = 0; i < times; i++) await page.keyboard.press(key);
    const then = random.of(['Enter', 'Space', 'ArrowDown', 'ArrowRight', 'ArrowUp', 'Home', 'End']);
    await page.keyboard.press(then);
    return `${times} times ${key}, then ${then}`;
  },
  async palette(page, random, known, temper) {
    const text = random.of(temper.wild ? PALETTE : PLAIN_PALETTE);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+KeyK');
    if (text.length < 40 && random.chance(0.5)) await page.keyboard.type(text);
    else await page.keyboard.insertText(text);
    await page.waitForTimeout(random.of([0, 0, 50, 300]));
    const moves = random.below(4);
    for (let i = 0; i < moves; i++) await page.keyboard.press(random.of(['ArrowDown', 'ArrowDown', 'ArrowUp', 'Tab']));
    const end = random.of(['Enter', 'Enter', 'Enter', 'Control+Enter', 'Shift+Enter', 'Escape', 'ArrowRight']);
    await page.keyboard.press(end);
    return `palette ${JSON.stringify(text.slice(0, 60))}, ${moves} moves, ${end}`;
  },
  async history(page, random) {
    const back = random.chance(0.6);
    const times = 1 + random.below(4);
    // Never out of the page: its own entries are counted by the caller's first address.
    for (let i = 0; i < times; i++) await page.evaluate((by) => history.go(by), back ? -1 : 1);
    return `${times} times ${back ? 'back' : 'forward'}`;
  },
  async reload(page, random, known, temper) {
    await page.reload();
    return 'reload';
  },
  async resize(page, random) {
    const [width, height] = random.of(WINDOWS);
    await page.setViewportSize({ width, height });
    return `window of ${width} x ${height}`;
  },
  async theme(page, random) {
    const colorScheme = random.of(['light', 'dark']);
    await page.emulateMedia({ colorScheme, reducedMotion: random.of(['reduce', 'no-preference']) });
    return `the system's colours: ${colorScheme}`;
  },
  async address(page, random, known, temper) {
    const before = new URL(page.url()).hash;
    const hash = random.chance(0.25) ? random.of(known.hashes) : (temper.wild ? changedHash : calmHash)(random, before, known);
    await page.evaluate((to) => { location.hash = to; }, hash);
    return `address ${hash.slice(0, 300)}`;
  },
  async select(page, random) {
    const lists = page.locator('select:visible');
    const n = await lists.count();
    if (!n) return 'no list to choose from';
    const list = lists.nth(random.below(n));
    const values = await list.locator('option:not([disabled])').evaluateAll((all) => all.map((option) => option.value));
    const value = random.of(values);
    if (value === undefined) return 'a list of nothing';
    await list.selectOption(value, { timeout: 1000, force: true }).catch(() => {});
    return `choose ${value} of ${values.length}`;
  },
  async paste(page, random) {
    const text = random.of(PASTED);
    await page.evaluate((pasted) => {
      const data = new DataTransfer();
      data.setData('text/plain', pasted);
      (document.activeElement ?? document.body).dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    }, text);
    return `paste ${JSON.stringify(text.slice(0, 60))}`;
  },
};

/** One action; returns {kind, words}. `known`: runs, modules and addresses that exist. */
export async function act(page, random, known, temper) {
  const kind = random.weighted(WEIGHTS);
  return { kind, words: await DO[kind](page, random, known, temper) };
}
