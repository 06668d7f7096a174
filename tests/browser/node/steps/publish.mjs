// Tests the form for publishing, until the listing is Live or until the page shows what to fix. The form is tested with and
// without scripts.
import { demand, picture, withPage } from '../page.mjs';
import { faultsOf } from '../rules.mjs';

const LIVE_MS = 40_000;

/** The form of a page. */
function formOf(page) {
  const form = page.locator('main form[action="/api/publish"]');
  return { url: form.locator('input[name=url]'), send: form.getByRole('button').first() };
}

async function send(page, url) {
  const form = formOf(page);
  await form.url.fill(url);
  await form.send.click();
}

/** Reloads the page, like a reader without scripts, until it contains the pattern. */
async function reloadUntil(page, pattern) {
  const deadline = Date.now() + LIVE_MS;
  for (;;) {
    const text = await page.locator('main').innerText();
    if (pattern.test(text)) return text;
    demand(
      Date.now() < deadline,
      `${page.url()} does not say ${pattern} after ${LIVE_MS / 1000} s: ${text.slice(0, 400)}`,
    );
    await page.waitForTimeout(500);
    await page.reload();
  }
}

function untilLive(kind, url) {
  return (site, faults) =>
    withPage(site, faults, {}, async (page) => {
      const response = await page.goto(`${site.base}/for-agents`);
      await send(page, url(site));
      const status = page.locator('main [role=status]').filter({ hasText: /\bLive\b/ });
      await status.first().waitFor({ timeout: LIVE_MS });
      faults.push(...(await faultsOf(page, response)));
      await picture(site, page, `publish-live-${kind}`);
      // The linked listing shows the evidence.
      await status.locator('a[href^="/list/"], a[href*="/list/"]').first().click();
      await page.waitForURL(/\/list\/[^/?]+$/);
      demand(/\bLive\b/.test(await page.locator('main').innerText()), `${page.url()} does not say that it is Live`);
    });
}

/** Chromium logs a refused publication on the console. */
const REFUSED = [/\b4\d\d\b/];

export const steps = [
  ['publish an MCP server until Live', untilLive('mcp', (site) => site.byHand.mcp)],
  ['publish an agent until Live', untilLive('agent', (site) => site.byHand.agent)],

  [
    'publish a page without a card: reasons',
    (site, faults) =>
      withPage(site, faults, {}, async (page) => {
        const response = await page.goto(`${site.base}/for-agents`);
        await send(page, `${site.byHand.noCard}/.well-known/agent-card.json`);
        const reason = page.locator('main').getByText(/card fail (200|404)/);
        await reason.first().waitFor({ timeout: LIVE_MS });
        const text = await page.locator('main').innerText();
        demand(/Serve the agent card/i.test(text), `no fix is shown: ${text.slice(0, 600)}`);
        demand(await page.locator('.steps .failed').count() === 1, 'no step has failed');
        demand(await page.locator('.steps .now').count() === 0, 'a step is still under way');
        faults.push(...(await faultsOf(page, response)));
        await picture(site, page, 'publish-reasons');
      }),
  ],

  [
    'publish an invalid URL: how to fix it',
    (site, faults) =>
      withPage(site, faults, { expected: REFUSED }, async (page) => {
        const response = await page.goto(`${site.base}/for-agents`);
        // The browser's check of the field is off, so that the registry answers.
        await page.locator('main form[action="/api/publish"]').evaluate((form) => {
          form.noValidate = true;
        });
        await send(page, 'ftp://example.org/"><img src=x data-hostile>');
        const message = page
          .locator('main')
          .getByText(/https?\b/i)
          .filter({ hasText: /url/i });
        await message.first().waitFor();
        demand((await formOf(page).url.inputValue()).startsWith('ftp://'), 'the typed text is gone');
        faults.push(...(await faultsOf(page, response)));
        await picture(site, page, 'publish-refused');
      }),
  ],

  [
    'publish a refused listing again',
    (site, faults) =>
      withPage(site, faults, {}, async (page) => {
        const { id } = Object.values(site.hostile).find(({ lane, kind }) => lane !== 'active' && kind === 'agent');
        await page.goto(`${site.base}/list/${id}`);
        const answer = page.waitForResponse((response) => response.request().method() === 'POST');
        await page.getByRole('button', { name: /publish again/i }).click();
        demand((await answer).status() === 303, `the form was answered with ${(await answer).status()}`);
        await page.waitForURL(`${site.base}/list/${id}`);
        await page
          .getByText(/text_sane/)
          .first()
          .waitFor({ timeout: LIVE_MS });
      }),
  ],

  [
    'publish from the first page',
    (site, faults) =>
      withPage(site, faults, {}, async (page) => {
        await page.goto(`${site.base}/`);
        await send(page, site.byHand.mcp);
        await page
          .locator('main')
          .getByText(/\bLive\b/)
          .first()
          .waitFor({ timeout: LIVE_MS });
      }),
  ],

  [
    'without scripts: publish until Live',
    (site, faults) =>
      withPage(site, faults, { javaScriptEnabled: false }, async (page) => {
        await page.goto(`${site.base}/for-agents`);
        await send(page, site.byHand.later);
        await page.waitForURL(/\/list\/[^/?]+$/);
        await reloadUntil(page, /\bLive\b/);
        const response = await page.reload();
        faults.push(...(await faultsOf(page, response, { scripts: false })));
        await picture(site, page, 'publish-live-without-scripts');
      }),
  ],

  [
    'without scripts: publish an invalid URL',
    (site, faults) =>
      withPage(site, faults, { javaScriptEnabled: false, expected: REFUSED }, async (page) => {
        await page.goto(`${site.base}/for-agents`);
        await page.locator('main form[action="/api/publish"]').evaluate((form) => {
          form.noValidate = true;
        });
        const answer = page.waitForResponse((response) => response.request().method() === 'POST');
        await send(page, 'ftp://example.org/"><img src=x data-hostile>');
        const response = await answer;
        await page.waitForLoadState();
        demand(
          response.headers()['content-type'].startsWith('text/html'),
          `the refusal has the type ${response.headers()['content-type']}`,
        );
        demand((await formOf(page).url.inputValue()).startsWith('ftp://'), 'the typed text is gone');
        faults.push(...(await faultsOf(page, response, { scripts: false })));
        await picture(site, page, 'publish-refused-without-scripts');
      }),
  ],
];
