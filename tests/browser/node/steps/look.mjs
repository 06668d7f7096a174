// Checks the rules on every page, in both widths and both color schemes, and saves screenshots.
import { DESK, PHONE, SCHEMES, demand, picture, withPage } from '../page.mjs';
import { faultsOf } from '../rules.mjs';

/** The narrowest width at which nothing may scroll sideways (WCAG 2.2, 1.4.10). */
const NARROWEST = { width: 320, height: 640 };

/** Name, path and status of every checked page. */
export function pages(site) {
  const live = (kind) => site.crowd.find((listing) => listing.kind === kind).id;
  const keptOff = Object.values(site.hostile).find(({ lane }) => lane !== 'active').id;
  return [
    ['home', '/', 200],
    ['board', '/list', 200],
    ['for-agents', '/for-agents', 200],
    ['check', '/check', 200],
    ['unknown-report', '/check/unknown', 404],
    ['products', '/products', 200],
    ['status', '/status', 200],
    ['about', '/about', 200],
    ['listing-mcp', `/list/${live('mcp')}`, 200],
    ['listing-agent', `/list/${live('agent')}`, 200],
    ['listing-kept-off', `/list/${keptOff}`, 200],
    ['listing-gated', `/list/${site.gated.id}`, 200],
    ['gated', '/list?access=gated', 200],
    ['tools', `/list/${live('mcp')}/tools`, 200],
    ['tools-hostile', `/list/${site.hostile.parts.id}/tools`, 200],
    ['prove', '/prove', 200],
    ['network', '/network', 200],
    ['found', '/list?q=postgres', 200],
    ['found-nothing', '/list?kind=agent&category=data-storage', 200],
    ['unknown-listing', `/list/agtpub_${'0'.repeat(20)}`, 404],
    ['unknown-page', '/no/such/page', 404],
  ];
}

const looks = SCHEMES.flatMap((colorScheme) => [PHONE, DESK].map((viewport) => ({ colorScheme, viewport })));

export const steps = looks.map(({ colorScheme, viewport }) => [
  `look ${colorScheme} ${viewport.width} px`,
  (site, faults) =>
    withPage(site, faults, { colorScheme, viewport, expected: [/\b404\b/] }, async (page) => {
      for (const [name, path, status] of pages(site)) {
        const response = await page.goto(site.base + path);
        if (response.status() !== status) {
          faults.push(`${path}: status ${response.status()} instead of ${status}`);
          continue;
        }
        faults.push(...(await faultsOf(page, response)));
        await picture(site, page, `${name}-${viewport.width}-${colorScheme}`);
        if (viewport !== PHONE) continue;
        await page.setViewportSize(NARROWEST);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        if (wide > NARROWEST.width) faults.push(`${path} at ${NARROWEST.width} px: it is ${wide} px wide`);
        await page.setViewportSize(viewport);
      }
    }),
]);

steps.push([
  'look of the two schemes differs',
  async (site, faults) => {
    const backgrounds = [];
    for (const colorScheme of SCHEMES) {
      await withPage(site, faults, { colorScheme }, async (page) => {
        await page.goto(`${site.base}/list`);
        backgrounds.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
      });
    }
    demand(backgrounds[0] !== backgrounds[1], `both are ${backgrounds[0]}`);
  },
]);
