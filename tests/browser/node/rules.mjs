// What holds on every page, whatever it shows: fit for its width, sound for assistive technology in both looks, no
// script but the registry's own file, and nothing in the document that a stranger's text made.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { where } from './page.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const GRAVE = ['serious', 'critical'];

/**
 * The faults of the page as it is shown now. `response` is the answer to its navigation. Without scripts axe-core cannot
 * run, which waits for timers; it is left out there.
 */
export async function faultsOf(page, response, { scripts = true } = {}) {
  const found = [
    ...policyFaults(response),
    ...(await page.evaluate(documentFaults)),
    ...(await page.evaluate(widthFaults)),
    ...(scripts ? await axeFaults(page) : []),
  ];
  const { width } = page.viewportSize();
  return found.map((fault) => `${where(page)} at ${width} px: ${fault}`);
}

/** The Content-Security-Policy lets nothing in that is not the registry's own file. */
function policyFaults(response) {
  const policy = response.headers()['content-security-policy'] ?? '';
  const directives = new Map(
    policy
      .split(';')
      .map((part) => part.trim().split(/\s+/))
      .map(([name, ...rest]) => [name, rest]),
  );
  const wanted = {
    'default-src': "'none'",
    'base-uri': "'none'",
    'frame-ancestors': "'none'",
    'form-action': "'self'",
  };
  const faults = Object.entries(wanted)
    .filter(([name, value]) => directives.get(name)?.join(' ') !== value)
    .map(([name, value]) => `the Content-Security-Policy does not say ${name} ${value}: ${policy}`);
  for (const [name, values] of directives) {
    const loose = values.filter((value) => value !== "'self'" && value !== "'none'");
    if (loose.length) faults.push(`the Content-Security-Policy allows ${name} ${loose.join(' ')}`);
  }
  return faults;
}

/** What stands in the document. Runs in the page. */
function documentFaults() {
  const told = (element) => element.outerHTML.slice(0, 160);
  const all = [...document.querySelectorAll('*')];
  const faults = [];
  const forbid = (what, elements) =>
    elements.slice(0, 3).forEach((element) => faults.push(`${what}: ${told(element)}`));
  forbid(
    "an element out of a stranger's text",
    all.filter((element) => element.hasAttribute('data-hostile')),
  );
  forbid(
    'a handler in an attribute',
    all.filter((element) => element.getAttributeNames().some((name) => /^on/i.test(name))),
  );
  forbid(
    'a style in an attribute',
    all.filter((element) => element.hasAttribute('style')),
  );
  forbid(
    'a frame or plugin',
    all.filter((element) => /^(iframe|frame|object|embed|base)$/i.test(element.localName)),
  );
  const here = (address) => new URL(address, location.href).origin === location.origin;
  forbid(
    'a script that is not a file of ours',
    [...document.scripts].filter((script) => !script.getAttribute('src') || !here(script.src)),
  );
  const addressed = all.filter(
    (element) => element.hasAttribute('href') || element.hasAttribute('action') || element.hasAttribute('src'),
  );
  forbid(
    'an address that is no page',
    addressed.filter((element) =>
      ['href', 'action', 'src', 'formaction', 'xlink:href'].some((name) => {
        const address = element.getAttribute(name);
        return address !== null && !['http:', 'https:', 'mailto:'].includes(new URL(address, location.href).protocol);
      }),
    ),
  );
  // A link to another origin gives its reader's page no handle, and does not tell where its reader was.
  forbid(
    'a link that hands its opener over',
    [...document.links].filter((link) => link.target === '_blank' && !/\bno(opener|referrer)\b/.test(link.rel)),
  );
  forbid(
    'a connection prepared to another origin',
    [
      ...document.querySelectorAll(
        'link[rel~=preconnect],link[rel~=dns-prefetch],link[rel~=preload],link[rel~=prefetch]',
      ),
    ].filter((link) => !here(link.href)),
  );
  const titles = document.querySelectorAll('h1').length;
  if (titles !== 1) faults.push(`${titles} elements h1`);
  if (!document.title.trim()) faults.push('no title');
  if (!document.querySelector('meta[name=viewport]')) faults.push('no meta viewport');
  const ids = all.map((element) => element.id).filter(Boolean);
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  if (twice.length) faults.push(`an id that stands twice: ${twice[0]}`);

  // No element isolates characters that reorder text, for they end its isolation themselves: none may be there.
  const texts = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (/[\u202a-\u202e\u2066-\u2069]/.test(text.data)) {
      faults.push(`text that reorders what stands beside it: ${told(text.parentElement)}`);
    }
  }
  return faults;
}

/** Nothing is wider than the window. Runs in the page. */
function widthFaults() {
  const root = document.documentElement;
  const excess = root.scrollWidth - root.clientWidth;
  if (excess <= 0) return [];
  // What scrolls within itself, or is hidden by its box, widens nothing.
  const clipped = (element) => {
    for (let box = element.parentElement; box && box !== root; box = box.parentElement) {
      if (getComputedStyle(box).overflowX !== 'visible') return true;
    }
    return false;
  };
  const wide = [...document.body.querySelectorAll('*')].filter(
    (element) => element.getBoundingClientRect().right > root.clientWidth + 1 && !clipped(element),
  );
  const told = wide
    .slice(-3)
    .map((element) => element.outerHTML.slice(0, 120))
    .join(' | ');
  return [`it scrolls sideways by ${excess} px: ${told}`];
}

/** What axe-core finds serious or critical. It is evaluated by the debugger, which no policy of the page hinders. */
async function axeFaults(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return violations
    .filter(({ impact }) => GRAVE.includes(impact))
    .map(({ id, help, nodes }) => {
      const [first] = nodes;
      return `axe ${id} (${help}), ${nodes.length} times: ${first.html.slice(0, 160)} ${first.any[0]?.message ?? ''}`;
    });
}
