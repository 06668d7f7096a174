// Tests hostile texts in listings and in URLs. The pages show them as text. They do not move other parts of the page.
import { DESK, PHONE, demand, picture, where, withPage } from '../page.mjs';
import { faultsOf } from '../rules.mjs';

/** How many times the usual height a row with very long texts may have. */
const ROW_GROWTH = 4;
const TALLEST_TITLE = 0.6;

const ADDRESSES = [
  [
    '/list?q=%3Cscript%20data-hostile%3Ealert(1)%3C/script%3E%22%3E%3Cimg%20src=x%20onerror=alert(1)%20data-hostile%3E',
    200,
  ],
  ['/list?q=%E2%80%AE%E2%81%A6tnega&category=%22%3E%3Cb%20data-hostile%3E', null],
  [`/list?q=${'q'.repeat(900)}`, 200],
  ['/list?kind=%3Cb%20data-hostile%3E', null],
  ['/list?cursor=%3Cb%20data-hostile%3E', null],
  ['/list/%3Cscript%20data-hostile%3Ealert(1)%3C%2Fscript%3E', 404],
  ['/%3Cimg%20src=x%20onerror=alert(1)%20data-hostile%3E', 404],
];

/** Checks the page with the texts of `slug`, and saves a screenshot. */
async function look(site, page, faults, slug, path) {
  const response = await page.goto(site.base + path);
  demand(response.status() === 200, `${path} (${slug}): status ${response.status()}`);
  faults.push(...(await faultsOf(page, response)).map((fault) => `${slug}: ${fault}`));
  const title = await page.getByRole('heading', { level: 1 }).boundingBox();
  if (title.height > TALLEST_TITLE * page.viewportSize().height)
    faults.push(`${slug}: its name is ${title.height} px high`);
  await picture(site, page, `hostile-${slug}-${page.viewportSize().width}`);
}

/** A screenshot of the header of the page. */
const headOf = (page) => page.locator('body > header').screenshot();

export const steps = [
  ...[PHONE, DESK].map((viewport) => [
    `hostile listings at ${viewport.width} px`,
    (site, faults) =>
      withPage(site, faults, { viewport }, async (page) => {
        await page.goto(`${site.base}/list/${site.crowd[0].id}`);
        const normal = await headOf(page);
        for (const [slug, { id, name, verbatim, lane }] of Object.entries(site.hostile)) {
          await look(site, page, faults, slug, `/list/${id}`);
          // Stacked accents can be very high, but must not cover the header.
          if (!normal.equals(await headOf(page))) faults.push(`${slug}: its text covers part of the header`);
          if (verbatim && lane === 'active') {
            const shown = await page.getByRole('heading', { level: 1 }).textContent();
            // A name may be cut if it is longer than a line of the list.
            if (!shown.includes(name.slice(0, 60)))
              faults.push(`${slug}: its name is shown as ${shown.trim().slice(0, 100)}`);
          }
          if (viewport === DESK) continue;
          for (const details of await page.locator('main details').all())
            await details.evaluate((box) => {
              box.open = true;
            });
          const excess = await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          );
          if (excess > 0) faults.push(`${slug}: it scrolls sideways with open details by ${excess} px`);
        }
      }),
  ]),

  ...[PHONE, DESK].map((viewport) => [
    `hostile rows at ${viewport.width} px`,
    (site, faults) =>
      withPage(site, faults, { viewport }, async (page) => {
        const live = Object.values(site.hostile).filter(({ lane }) => lane === 'active');
        const seen = new Set();
        for (let path = '/list'; path;) {
          const response = await page.goto(site.base + path);
          faults.push(...(await faultsOf(page, response)));
          const heights = await page.locator('main tbody tr').evaluateAll((rows) =>
            rows.map((row) => ({
              path: row.querySelector('th a').getAttribute('href'),
              height: row.getBoundingClientRect().height,
            })),
          );
          const usual = heights.map(({ height }) => height).sort((a, b) => a - b)[Math.floor(heights.length / 2)];
          for (const row of heights) {
            seen.add(row.path);
            if (row.height > ROW_GROWTH * usual)
              faults.push(`the row of ${row.path} is ${row.height} px high, others ${usual}`);
          }
          if (heights.some((row) => live.some(({ id }) => row.path === `/list/${id}`))) {
            await picture(site, page, `hostile-rows-${viewport.width}`);
          }
          path = await page.getByRole('link', { name: /next/i }).evaluateAll((links) => links[0]?.getAttribute('href'));
        }
        const missing = live.filter(({ id }) => !seen.has(`/list/${id}`));
        demand(missing.length === 0, `not on the list: ${missing.map(({ id }) => id)}`);
        const shown = Object.values(site.hostile).filter(
          ({ id, lane }) => lane !== 'active' && seen.has(`/list/${id}`),
        );
        demand(shown.length === 0, `on the list but not Live: ${shown.map(({ id }) => id)}`);
        return `${live.length} hostile rows are Live`;
      }),
  ]),

  [
    'hostile addresses',
    (site, faults) =>
      withPage(site, faults, { viewport: PHONE, expected: [/\b4\d\d\b/] }, async (page) => {
        for (const [path, status] of ADDRESSES) {
          const response = await page.goto(site.base + path);
          const got = response.status();
          if (status === null ? got >= 500 : got !== status) faults.push(`${path.slice(0, 80)}: status ${got}`);
          if (response.headers()['content-type'].startsWith('text/html'))
            faults.push(...(await faultsOf(page, response)));
          else faults.push(`${where(page)}: a browser gets ${response.headers()['content-type']}`);
        }
      }),
  ],
];
