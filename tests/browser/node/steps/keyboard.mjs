// Tests the pages with the keyboard only. The skip link works. The Tab key reaches every control in document order, with
// a visible focus. A visitor can get from a search to a listing, and can publish with the form.
import { DESK, PHONE, demand, withPage } from '../page.mjs';

const MOST_STOPS = 150;

/** The focused element: a short label, its outline, and its other styles that can change with the focus. */
const focused = (page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return null;
    const style = (of) => {
      const { outlineStyle, outlineWidth, outlineColor, boxShadow, backgroundColor } = getComputedStyle(of);
      return {
        outline: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && outlineColor,
        boxShadow,
        backgroundColor,
      };
    };
    const box = element.getBoundingClientRect();
    return {
      label: `${element.localName}${element.id && `#${element.id}`} ${(element.textContent || element.getAttribute('aria-label') || '').trim().slice(0, 40)}`,
      name: element.localName,
      type: element.type,
      href: element.getAttribute('href'),
      style: style(element),
      inWindow:
        box.width > 0 &&
        box.height > 0 &&
        box.right > 0 &&
        box.bottom > 0 &&
        box.left < innerWidth &&
        box.top < innerHeight,
    };
  });

/** Moves through the whole page with Tab. Returns the focused elements in order. */
async function tabThrough(page, faults) {
  const met = [];
  for (let stop = 0; stop < MOST_STOPS; stop += 1) {
    await page.keyboard.press('Tab');
    const now = await focused(page);
    if (!now) break;
    if (!now.inWindow) faults.push(`${page.url()}: the focus is outside the window on ${now.label}`);
    if (!now.style.outline) faults.push(`${page.url()}: the focus is not visible on ${now.label}`);
    met.push(now);
  }
  return met;
}

/** True if screenshots of the element with and without the focus differ. */
async function isSeen(page) {
  const box = await page.evaluate(() => {
    const { x, y, width, height } = document.activeElement.getBoundingClientRect();
    return { x: x - 6, y: y - 6, width: width + 12, height: height + 12 };
  });
  const clip = { ...box, x: Math.max(0, box.x), y: Math.max(0, box.y) };
  const shot = () => page.screenshot({ clip, caret: 'hide', animations: 'disabled' });
  const lit = await shot();
  await page.evaluate(() => {
    globalThis.held = document.activeElement;
    globalThis.held.blur();
  });
  const unlit = await shot();
  await page.evaluate(() => globalThis.held.focus({ focusVisible: true }));
  return !lit.equals(unlit);
}

/** Presses Tab until `is` is true for the focused element. */
async function tabTo(page, what, is) {
  for (let stop = 0; stop < MOST_STOPS; stop += 1) {
    await page.keyboard.press('Tab');
    const now = await focused(page);
    if (now && is(now)) return now;
  }
  throw new Error(`${page.url()}: Tab does not reach ${what}`);
}

export const steps = [
  [
    'keyboard skip link',
    (site, faults) =>
      withPage(site, faults, {}, async (page) => {
        for (const path of ['/', '/list', '/for-agents', '/products', '/status', `/list/${site.crowd[0].id}`]) {
          await page.goto(site.base + path);
          await page.keyboard.press('Tab');
          const skip = await focused(page);
          demand(skip?.href?.startsWith('#') && skip.inWindow, `${path}: the first stop is ${skip?.label}`);
          await page.keyboard.press('Enter');
          await page.waitForURL(/#./);
          await page.keyboard.press('Tab');
          const inside = await page.evaluate(() => document.activeElement.closest('main') !== null);
          demand(inside, `${path}: the skip link leads to ${(await focused(page))?.label}`);
        }
      }),
  ],

  ...[PHONE, DESK].map((viewport) => [
    `keyboard every stop at ${viewport.width} px`,
    (site, faults) =>
      withPage(site, faults, { viewport }, async (page) => {
        let stops = 0;
        for (const path of [
          '/',
          '/list?q=weather',
          '/for-agents',
          '/products',
          '/status',
          `/list/${site.crowd[0].id}`,
        ]) {
          await page.goto(site.base + path);
          const met = await tabThrough(page, faults);
          const controls = await page
            .locator('main')
            .locator('a[href], button, input, select, summary')
            .evaluateAll(
              (all) =>
                all.filter((one) => one.checkVisibility() && one.tabIndex >= 0 && (one.type !== 'radio' || one.checked))
                  .length,
            );
          demand(met.length >= controls, `${path}: ${met.length} stops for ${controls} controls`);
          stops += met.length;
        }
        return `${stops} stops`;
      }),
  ]),

  [
    'keyboard from a search to a listing',
    (site, faults) =>
      withPage(site, faults, {}, async (page) => {
        await page.goto(`${site.base}/list`);
        await tabTo(page, 'the search', ({ type }) => type === 'search');
        demand(await isSeen(page), 'the focus on the search is not visible');
        await page.keyboard.type('weather');
        await page.keyboard.press('Enter');
        await page.waitForURL(/q=weather/);
        await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'));
        await tabTo(page, 'a row', ({ href }) => /^\/list\/[^/?]+$/.test(href ?? ''));
        demand(await isSeen(page), 'the focus on a row is not visible');
        await page.keyboard.press('Enter');
        await page.waitForURL(/\/list\/[^/?]+$/);
      }),
  ],

  [
    'keyboard publishes',
    (site, faults) =>
      withPage(site, faults, {}, async (page) => {
        await page.goto(`${site.base}/for-agents`);
        await tabTo(page, 'the field of the form', ({ type }) => type === 'url' || type === 'text');
        demand(await isSeen(page), 'the focus on the field is not visible');
        await page.keyboard.type(site.byHand.later);
        await tabTo(page, 'the button', ({ name }) => name === 'button');
        demand(await isSeen(page), 'the focus on the button is not visible');
        await page.keyboard.press('Enter');
        await page
          .locator('main [role=status]')
          .filter({ hasText: /\bLive\b/ })
          .first()
          .waitFor({ timeout: 40_000 });
      }),
  ],
];
