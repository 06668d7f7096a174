// Breaks each rule on purpose in a page before the browser receives it, and checks that the rule finds the fault.
import { PHONE, demand, withPage } from '../page.mjs';
import { faultsOf } from '../rules.mjs';

const inBody = (markup) => (html) => html.replace('<h1', `${markup}<h1`);
const BIDI = 'Weather \u202etnega';

/** A change to the page, and the fault that must be found. */
const BROKEN = [
  ['an inline script', inBody('<script>document.title = "x"</script>'), /a script that is not a file of the registry/],
  ['an inline script, on the console', inBody('<script>document.title = "x"</script>'), /Content Security Policy/],
  [
    'a picture from another origin',
    inBody('<img alt="" src="https://tracker.example/pixel.gif">'),
    /a request to another origin/,
  ],
  ['a style in an attribute', inBody('<p style="color: red">Red</p>'), /a style in an attribute/],
  ['a handler in an attribute', inBody('<p onclick="alert(1)">Click</p>'), /a handler in an attribute/],
  ["an element from a peer's text", inBody('<b data-hostile>Owned</b>'), /an element from a peer's text/],
  ['an address that is a script', inBody('<a href="javascript:alert(1)">Open</a>'), /an address with another scheme/],
  [
    'text that reorders the text next to it',
    inBody(`<p>By ${BIDI}<span> and others</span></p>`),
    /text with characters that reorder it/,
  ],
  [
    'content wider than the window',
    inBody(
      `<p><code>${'x'.repeat(300)}</code></p><table><tr><td><pre>${'y'.repeat(300)}</pre><img alt="" width="900" src="/badge/mcp"></table>`,
    ),
    /scrolls sideways/,
  ],
  [
    'a broken heading of a column',
    inBody('<table><thead><tr><th>Comman<br>d</th></tr></thead></table>'),
    /a heading is broken/,
  ],
  ['a field without a label', inBody('<input name="unlabelled">'), /axe label/],
  ['a picture without a text alternative', inBody('<img src="/badge/mcp">'), /axe image-alt/],
  ['a missing resource', inBody('<img alt="" src="/no/such/picture.png">'), /404 for/],
  ['a missing language', (html) => html.replace(/<html[^>]*>/, '<html>'), /axe html-has-lang/],
  ['two titles', inBody('<h1>Another</h1>'), /2 elements h1/],
];

/** The same for changes to the policy, and to the files that a page loads. */
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

/** Shows the list with every file for which `is` is true changed, and checks that the fault is found. */
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
      `the fault was not found; found: ${faults.join(' | ') || 'nothing'}`,
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
