// Tests the list of Live listings. The rows are in the first HTML, and the page loads few bytes. Search while typing,
// filters and paging work. Search, filters and paging also work without scripts.
import { demand, withPage } from '../page.mjs';
import { faultsOf } from '../rules.mjs';

const MOST_BYTES = 100_000;
const ROWS = 50;

const rows = (page) => page.locator('main tbody tr');
const names = (page) => rows(page).locator('th a').allInnerTexts();
const links = (page) => rows(page).locator('th a').evaluateAll((all) => all.map((link) => link.href));

/** The search of the list, not another search on the page. */
const search = (page) => page.getByRole('search').getByRole('searchbox').first();

/** Checks the text of every row, or of its cells at `part`. */
async function every(page, matches, sentence, part = null) {
  const texts = await (part ? rows(page).locator(part) : rows(page)).allInnerTexts();
  demand(texts.length > 0, `no row is shown; expected: ${sentence}`);
  const other = texts.find((text) => !matches(text));
  demand(other === undefined, `not ${sentence}: ${other}`);
}

/** Waits until the rows have changed and the page is not busy. */
async function changed(page, before) {
  await page.waitForFunction((old) => {
    const now = [...document.querySelectorAll('main tbody tr th a')].map((link) => link.textContent).join('\n');
    return now !== old && !document.querySelector('[aria-busy=true]');
  }, before.join('\n'));
}

export const steps = [
  [
    'board first HTML and weight',
    async (site) => {
      const html = await (await fetch(`${site.base}/list`, { headers: { accept: 'text/html' } })).text();
      const shown = site.crowd.filter(({ name }) => html.includes(name)).length;
      const links = new Set([...html.matchAll(/href="(\/list\/[^"?]+)"/g)].map(([, path]) => path)).size;
      demand(links >= ROWS, `the first HTML has ${links} rows`);
      demand(shown > 0, 'the first HTML has none of the names');
      let bytes = 0;
      const weights = [];
      await withPage(site, [], {}, async (page) => {
        const answers = [];
        page.on('response', (response) => answers.push(response));
        await page.goto(`${site.base}/list`, { waitUntil: 'networkidle' });
        for (const answer of answers) {
          const { length } = await answer.body();
          weights.push(`${new URL(answer.url()).pathname} ${length}`);
          bytes += length;
        }
        demand((await rows(page).count()) === ROWS, `${await rows(page).count()} rows are shown`);
      });
      demand(weights.length >= 3, `only this was loaded: ${weights}`);
      demand(bytes < MOST_BYTES, `${bytes} bytes: ${weights.join(', ')}`);
      return `${bytes} bytes before compression (${weights.join(', ')})`;
    },
  ],

  [
    'board search as it is typed',
    (site, faults) =>
      withPage(site, faults, {}, async (page) => {
        const response = await page.goto(`${site.base}/list`);
        const before = await names(page);
        await search(page).pressSequentially('postgres', { delay: 40 });
        await changed(page, before);
        await page.waitForURL(/[?&]q=postgres\b/);
        await every(page, (text) => /postgres/i.test(text), 'every row is about postgres');
        demand(await search(page).evaluate((field) => document.activeElement === field), 'the field lost the focus');
        demand((await search(page).inputValue()) === 'postgres', 'the text in the field was changed');
        demand(/\d/.test(await page.getByRole('status').first().innerText()), 'the number of results is not shown');
        faults.push(...(await faultsOf(page, response)));
        const found = await names(page);
        await page.reload();
        demand((await names(page)).join() === found.join(), 'the address of the search shows other rows');
        await search(page).fill('');
        await changed(page, found);
        demand((await names(page)).length === ROWS, 'an empty search does not show the list');
      }),
  ],

  [
    'board filters by kind and category',
    (site, faults) =>
      withPage(site, faults, {}, async (page) => {
        await page.goto(`${site.base}/list`);
        let before = await names(page);
        await page.getByRole('radio', { name: /agents/i }).check();
        await changed(page, before);
        await every(page, (text) => /^agent\b/i.test(text), 'every row is an agent', 'td:nth-of-type(1)');
        // Going back loads the page again.
        await Promise.all([page.waitForEvent('load'), page.goBack()]);
        demand(!page.url().includes('kind='), `going back leads to ${page.url()}`);
        before = await names(page);
        await page.getByRole('combobox', { name: 'Category' }).selectOption('data-storage');
        await changed(page, before);
        await every(page, (text) => /postgres/i.test(text), 'every row of the category is about a database');
        before = await names(page);
        await page.getByRole('radio', { name: /agents/i }).check();
        await changed(page, before);
        demand((await rows(page).count()) === 0, 'an agent is in a category of servers');
        demand(
          /no results/i.test(await page.getByRole('status').first().innerText()),
          'the page does not say that nothing was found',
        );
      }),
  ],

  [
    'board paging',
    (site, faults) =>
      withPage(site, faults, {}, async (page) => {
        await page.goto(`${site.base}/list`);
        const seen = [];
        for (let count = 0; count < 5; count += 1) {
          seen.push(
            ...(await rows(page)
              .locator('th a')
              .evaluateAll((links) => links.map((link) => link.getAttribute('href')))),
          );
          const next = page.getByRole('link', { name: /next/i });
          if ((await next.count()) === 0) break;
          await next.click();
          await page.waitForLoadState();
        }
        demand(new Set(seen).size === seen.length, 'a row is on two pages');
        const missing = site.crowd.filter(({ id }) => !seen.includes(`/list/${id}`));
        demand(missing.length === 0, `on no page: ${missing.map(({ name }) => name).join(', ')}`);
        return `${seen.length} rows on pages of ${ROWS}`;
      }),
  ],

  [
    'board opens a listing',
    (site, faults) =>
      withPage(site, faults, {}, async (page) => {
        await page.goto(`${site.base}/list?q=weather`);
        const link = rows(page).locator('th a').first();
        const name = await link.innerText();
        await link.click();
        await page.waitForURL(/\/list\/[^/?]+$/);
        demand(
          (await page.getByRole('heading', { level: 1 }).innerText()).includes(name),
          `${page.url()} is not the page of ${name}`,
        );
        const text = await page.locator('main').innerText();
        for (const word of [/handshake/i, /\bLive\b/, /badge/i, /proof/i])
          demand(word.test(text), `${page.url()} does not say ${word}`);
        const badges = await page
          .locator('main img')
          .evaluateAll((images) => images.filter((image) => !image.complete || !image.naturalWidth).length);
        demand(badges === 0, 'a picture is not shown');
      }),
  ],

  [
    'without scripts: search, filter, paging',
    (site, faults) =>
      withPage(site, faults, { javaScriptEnabled: false }, async (page) => {
        await page.goto(`${site.base}/list`);
        await search(page).fill('weather');
        await page.getByRole('radio', { name: /MCP/ }).check();
        await page.getByRole('search').getByRole('button').first().click();
        await page.waitForURL(/q=weather/);
        await every(
          page,
          (text) => /weather/i.test(text) && /MCP server/.test(text),
          'every row is a server about weather',
        );
        demand((await search(page).inputValue()) === 'weather', 'the search text is not in the field');
        await page.goto(`${site.base}/list`);
        const first = await links(page);
        await page.getByRole('link', { name: /next/i }).click();
        await page.waitForURL(/cursor=/);
        demand(!(await links(page)).some((link) => first.includes(link)), 'the next page shows the same rows');
      }),
  ],
];
