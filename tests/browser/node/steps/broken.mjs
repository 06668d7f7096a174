// Each rule, broken on purpose in a page on its way to the browser: a rule that finds nothing would prove nothing.
import { PHONE, demand, withPage } from '../page.mjs';
import { faultsOf } from '../rules.mjs';

const inBody = (markup) => (html) => html.replace('<h1', `${markup}<h1`);
const BIDI = 'Weather \u202etnega';

/** What is done to the page, and the fault that must be found. */
const BROKEN = [
  ['an inline script', inBody('<script>document.title = "x"</script>'), /a script that is not a file of ours/],
  ['an inline script, on the console', inBody('<script>document.title = "x"</script>'), /Content Security Policy/],
  [
    'a picture of a third party',
    inBody('<img alt="" src="https://tracker.example/pixel.gif">'),
    /a request to another origin/,
  ],
  ['a style in an attribute', inBody('<p style="color: red">Red</p>'), /a style in an attribute/],
  ['a handler in an attribute', inBody('<p onclick="alert(1)">Click</p>'), /a handler in an attribute/],
  ["a stranger's element", inBody('<b data-hostile>Owned</b>'), /out of a stranger's text/],
  ['an address that is a script', inBody('<a href="javascript:alert(1)">Open</a>'), /an address that is no page/],
  ['text that reorders its neighbours', inBody(`<p>By ${BIDI}<span> and others</span></p>`), /text that reorders/],
  [
    'a width of its own',
    inBody(
      `<p><code>${'x'.repeat(300)}</code></p><table><tr><td><pre>${'y'.repeat(300)}</pre><img alt="" width="900" src="/badge/mcp"></table>`,
    ),
    /scrolls sideways/,
  ],
  ['a field without a label', inBody('<input name="unlabelled">'), /axe label/],
  ['a picture without words', inBody('<img src="/badge/mcp">'), /axe image-alt/],
  ['a missing resource', inBody('<img alt="" src="/no/such/picture.png">'), /404 for/],
  ['a language left out', (html) => html.replace(/<html[^>]*>/, '<html>'), /axe html-has-lang/],
  ['two titles', inBody('<h1>Another</h1>'), /2 elements h1/],
];

/** What is done to the policy, and to the files that a page loads. */
const POLICY = [
  ['no policy', (policy) => policy && '', /does not say default-src/],
  [
    'an inline script allowed',
    (policy) => policy.replace("script-src 'self'", "script-src 'self' 'unsafe-inline'"),
    /allows script-src/,
  ],
];
const FILES = [
  ['pale text', /\.css$/, (css) => `${css}\n.lead, p { color: #cfcfcf !important; }`, /axe color-contrast/],
  ['an error in the script', /\.js$/, (code) => `${code}\nnull.broken;`, /uncaught TypeError/],
  ['a dialog', /\.js$/, (code) => `${code}\nalert(1);`, /a dialog/],
  [
    'a call to another origin',
    /\.js$/,
    (code) => `${code}\nfetch("https://tracker.example/").catch(() => {});`,
    /Content Security Policy|another origin/,
  ],
];

/** Shows the board with what passes `is` changed, and demands the fault. */
function finds(wanted, is, change) {
  return async (site) => {
    const faults = [];
    await withPage(site, faults, { viewport: PHONE }, async (page) => {
      await page.route(
        (url) => is(url.pathname),
        async (route) => {
          const response = await route.fetch();
          await route.fulfill({ response, ...change(await response.text(), response.headers()) });
        },
      );
      const response = await page.goto(`${site.base}/list?kind=agent&category=data-storage`, {
        waitUntil: 'networkidle',
      });
      faults.push(...(await faultsOf(page, response)));
    });
    demand(
      faults.some((fault) => wanted.test(fault)),
      `it was not found; found was: ${faults.join(' | ') || 'nothing'}`,
    );
  };
}

const isPage = (path) => path === '/list';

export const steps = [
  ...BROKEN.map(([name, change, wanted]) => [
    `broken: ${name}`,
    finds(wanted, isPage, (body) => ({ body: change(body) })),
  ]),
  ...POLICY.map(([name, change, wanted]) => [
    `broken: ${name}`,
    finds(wanted, isPage, (body, headers) => ({
      body,
      headers: { ...headers, 'content-security-policy': change(headers['content-security-policy']) },
    })),
  ]),
  ...FILES.map(([name, pattern, change, wanted]) => [
    `broken: ${name}`,
    finds(
      wanted,
      (path) => pattern.test(path),
      (body) => ({ body: change(body) }),
    ),
  ]),
];
