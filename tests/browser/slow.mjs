// A slow machine on request, to find tests that only pass on a quick one: XPD_SLOW=page=6,answers=150,test=20 takes six
// times the processor time for the page, lets each answer of the server come 150 ms later, and each word of the browser
// to the test up to 20 ms later. Each of the three by itself finds races of its own kind.

const given = Object.fromEntries((process.env.XPD_SLOW ?? '').split(',').filter(Boolean).map((one) => one.split('=')));
const rate = Number(given.page ?? 0);
const latency = Number(given.answers ?? 0);
const late = Number(given.test ?? 0);

/** The test hears what the browser says up to `late` ms afterwards, in order. */
export function slowTest(browser) {
  if (!late) return;
  const heard = browser._connection;
  const hear = heard.dispatch.bind(heard);
  let last = Promise.resolve();
  heard.dispatch = (message) => {
    last = last.then(() => new Promise((resolve) => setTimeout(resolve, Math.random() * late))).then(() => hear(message));
  };
}

/** The page computes slowly and its answers come late. */
export async function slowPage(page) {
  if (!rate && !latency) return;
  const tools = await page.context().newCDPSession(page);
  if (rate) await tools.send('Emulation.setCPUThrottlingRate', { rate });
  if (latency) await tools.send('Network.emulateNetworkConditions', { offline: false, latency, downloadThroughput: -1, uploadThroughput: -1 });
}
