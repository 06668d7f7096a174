// The rules for every page. The page fits the width of the screen. axe-core finds no serious faults in the light and dark
// color schemes. The page has no script except the registry's own file. No element was created by a peer's text.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { where } from './page.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const GRAVE = ['serious', 'critical'];

/**
 * The faults of the page in its current state. `response` is the answer to its navigation. axe-core needs timers, so it
 * cannot run without scripts, and is skipped then.
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

/** The Content-Security-Policy allows only the registry's own files. */
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

/** Checks the elements of the document. Runs in the page. */
function documentFaults() {
  const shorten = (element) => element.outerHTML.slice(0, 160);
  const all = [...document.querySelectorAll('*')];
  const faults = [];
  const forbid = (what, elements) =>
    elements.slice(0, 3).forEach((element) => faults.push(`${what}: ${shorten(element)}`));
  forbid(
    "an element from a peer's text",
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
    'a script that is not a file of the registry',
    [...document.scripts].filter((script) => !script.getAttribute('src') || !here(script.src)),
  );
  const addressed = all.filter(
    (element) => element.hasAttribute('href') || element.hasAttribute('action') || element.hasAttribute('src'),
  );
  forbid(
    'an address with another scheme',
    addressed.filter((element) =>
      ['href', 'action', 'src', 'formaction', 'xlink:href'].some((name) => {
        const address = element.getAttribute(name);
        return address !== null && !['http:', 'https:', 'mailto:'].includes(new URL(address, location.href).protocol);
      }),
    ),
  );
  // A link to another origin must not give the other page access to this one.
  forbid(
    'a link without noopener',
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
  if (twice.length) faults.push(`a duplicate id: ${twice[0]}`);

  // Characters that reorder text can end the isolation of any element, so they must not occur at all.
  const texts = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (/[\u202a-\u202e\u2066-\u2069]/.test(text.data)) {
      faults.push(`text with characters that reorder it: ${shorten(text.parentElement)}`);
    }
  }
  return faults;
}

/** Checks that nothing is wider than the window, and that no heading of a column is broken. Runs in the page. */
function widthFaults() {
  const root = document.documentElement;
  const excess = root.scrollWidth - root.clientWidth;
  const words = [...document.querySelectorAll('thead th')].filter((heading) => /^\S+$/.test(heading.textContent.trim()));
  const broken = words.filter((heading) => {
    const range = document.createRange();
    range.selectNodeContents(heading);
    return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1;
  });
  if (broken.length) return [`a heading is broken: ${broken[0].outerHTML}`];
  if (excess <= 0) return [];
  // An element that is clipped or scrolls inside a box does not widen the page.
  const clipped = (element) => {
    for (let box = element.parentElement; box && box !== root; box = box.parentElement) {
      if (getComputedStyle(box).overflowX !== 'visible') return true;
    }
    return false;
  };
  const wide = [...document.body.querySelectorAll('*')].filter(
    (element) => element.getBoundingClientRect().right > root.clientWidth + 1 && !clipped(element),
  );
  const shown = wide
    .slice(-3)
    .map((element) => element.outerHTML.slice(0, 120))
    .join(' | ');
  return [`it scrolls sideways by ${excess} px: ${shown}`];
}

/** The serious and critical faults in axe-core. The debugger evaluates it, so the policy of the page does not apply. */
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
