// A browser page that records everything that must not happen on a page of the registry. This is an error on the console,
// a dialog, a request to another origin, or a resource that does not load. Chromium also logs on the console what the
// Content-Security-Policy refuses.

/** The two colour schemes and the two widths in which every page is shown. */
export const SCHEMES = ['light', 'dark'];
export const PHONE = { width: 360, height: 740 };
export const DESK = { width: 1280, height: 800 };
const HIGHEST_PICTURE = 4000;

/**
 * Opens a page in a separate context. Faults are added to `faults`. `expected` are patterns of messages that the step
 * expects, for example Chromium's message about an answer with an error status.
 */
export async function open(
  site,
  faults,
  { viewport = DESK, colorScheme = 'light', javaScriptEnabled = true, expected = [] } = {},
) {
  const context = await site.browser.newContext({
    viewport,
    colorScheme,
    javaScriptEnabled,
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(10_000);
  context.setDefaultNavigationTimeout(20_000);
  const page = await context.newPage();
  const note = (fault) => {
    if (!expected.some((pattern) => pattern.test(fault))) faults.push(`${where(page)}: ${fault}`);
  };
  page.on('console', (message) => {
    if (['error', 'warning', 'assert'].includes(message.type())) note(`console ${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => note(`uncaught ${error}`));
  page.on('dialog', (dialog) => {
    note(`a dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  page.on('popup', () => note('a window was opened'));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== site.base && url.protocol !== 'about:')
      note(`a request to another origin: ${request.url().slice(0, 200)}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) note(`${response.status()} for ${response.url().slice(0, 200)}`);
  });
  page.on('requestfailed', (request) => {
    // The page no longer needs it: a search replaced at the next key press, or an icon when the next page opens.
    const aborted = request.failure()?.errorText === 'net::ERR_ABORTED';
    if (!aborted) note(`${request.failure()?.errorText} for ${request.url().slice(0, 200)}`);
  });
  return page;
}

/** Runs `body` with a page, and always closes its context. */
export async function withPage(site, faults, options, body) {
  const page = await open(site, faults, options);
  try {
    return await body(page);
  } finally {
    await page.context().close();
  }
}

/** Saves a screenshot of the page from its top. The height is limited, because the rest of a long page is similar. */
export async function picture(site, page, name) {
  const { width } = page.viewportSize();
  const whole = await page.evaluate(() => document.documentElement.scrollHeight);
  const clip = { x: 0, y: 0, width, height: Math.min(whole, HIGHEST_PICTURE) };
  await page.screenshot({ path: `${site.screenshots}/${name}.png`, fullPage: true, clip });
}

/** Path and query of the page, shortened. */
export function where(page) {
  const url = page.url();
  return url.startsWith('http') ? url.replace(/^https?:\/\/[^/]+/, '').slice(0, 80) : url;
}

/** Ends the step with this sentence if the condition is false. */
export function demand(condition, sentence) {
  if (!condition) throw new Error(sentence);
}
