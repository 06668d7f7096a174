// Runs the steps of the browser test. Arguments: a JSON file that describes the registry, and a comma-separated list of
// prefixes. A step runs if its name starts with one of the prefixes.
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';

const [file, only] = process.argv.slice(2);
const site = JSON.parse(readFileSync(file, 'utf8'));
const parts = ['look', 'publish', 'board', 'hostile', 'keyboard', 'parts', 'broken'];
const all = (await Promise.all(parts.map((part) => import(`./steps/${part}.mjs`)))).flatMap(({ steps }) => steps);
const chosen = all.filter(([name]) => only.split(',').some((part) => name.startsWith(part)));

// No request leaves this machine, whatever a page contains.
const args = ['--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1'];
site.browser = await chromium.launch({ executablePath: site.chromium, args });
console.log(`Chromium ${site.browser.version()}`);
let failed = 0;
async function run([name, step]) {
  const faults = [];
  const begun = Date.now();
  let result;
  try {
    result = await step(site, faults);
  } catch (error) {
    faults.push(error.message);
  }
  const seconds = ((Date.now() - begun) / 1000).toFixed(1);
  const unique = [...new Set(faults)];
  console.log(`${unique.length ? 'FAIL' : 'ok  '}  ${name}${result ? `: ${result}` : ''} (${seconds} s)`);
  for (const fault of unique.slice(0, 30)) console.log(`      ${fault}`);
  failed += unique.length ? 1 : 0;
}

// Two at a time, for a machine with two cores. Each has its own browser context.
const waiting = [...chosen];
const worker = async () => {
  while (waiting.length) await run(waiting.shift());
};
await Promise.all([worker(), worker()]);
await site.browser.close();
console.log(`${chosen.length - failed} passed, ${failed} failed`);
process.exitCode = failed || !chosen.length ? 1 : 0;
