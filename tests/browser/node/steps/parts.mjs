// Tests parts of pages: the copy buttons, and the badges for other sites.
import { demand, withPage } from '../page.mjs';

const BADGES = ['mcp', 'agent', 'listed', 'clean', 'verified', 'live'];

export const steps = [
  [
    'copy buttons copy the text next to them',
    (site, faults) =>
      withPage(site, faults, {}, async (page) => {
        await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: site.base });
        let copied = 0;
        for (const path of [
          '/',
          '/for-agents',
          '/products',
          `/list/${site.crowd[0].id}`,
          `/list/${site.crowd[1].id}`,
        ]) {
          await page.goto(site.base + path);
          for (const button of await page.getByRole('button', { name: /^cop(y|ied)/i }).all()) {
            if (!(await button.isVisible())) continue;
            await button.click();
            const text = await page.evaluate(() => navigator.clipboard.readText());
            const shown = await page
              .locator('pre, code, input, textarea')
              .evaluateAll((all) => all.map((one) => one.value ?? one.textContent));
            demand(
              text.trim() && shown.some((one) => one.trim() === text.trim()),
              `${path}: the copied text is ${text.slice(0, 80)}`,
            );
            copied += 1;
          }
        }
        demand(copied > 0, 'no copy button was found');
        return `${copied} buttons`;
      }),
  ],

  [
    'badges are complete',
    (site, faults) =>
      withPage(site, faults, { expected: [/\b404\b/] }, async (page) => {
        const [server] = site.crowd;
        const hostile = Object.values(site.hostile).map(({ id }) => `/badge/clean.svg?id=${id}`);
        const paths = [
          ...BADGES.map((name) => `/badge/${name}`),
          ...BADGES.map((name) => `/badge/${name}.svg?id=${server.id}`),
          ...hostile,
          `/badge/clean.svg?id=agtpub_${'0'.repeat(20)}`,
        ];
        for (const path of paths) {
          const response = await page.goto(site.base + path);
          const type = response.headers()['content-type'];
          if (!type.startsWith('image/svg+xml')) faults.push(`${path}: ${type}`);
          const found = await page.evaluate(() => {
            const image = document.documentElement;
            if (image.localName !== 'svg') return ['it is not an SVG'];
            const { width, height } = image.getBoundingClientRect();
            const out = [...image.querySelectorAll('text')].filter((text) => {
              const box = text.getBoundingClientRect();
              return box.left < -0.5 || box.right > width + 0.5 || box.top < -0.5 || box.bottom > height + 0.5;
            });
            return [
              ...out.map((text) => `its text is outside the image: ${text.textContent}`),
              ...(width && height ? [] : ['it has no size']),
              ...(image.querySelector('script, foreignObject, image, a')
                ? ['it contains more than shapes and text']
                : []),
              ...(image.querySelector('title')?.textContent.trim() ? [] : ['it has no title']),
            ];
          });
          faults.push(...found.map((fault) => `${path}: ${fault}`));
        }
        return `${paths.length} badges`;
      }),
  ],
];
