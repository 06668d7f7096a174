// The loop of a client: one URL per line on stdin, one JSON line per URL on stdout.
import { createInterface } from 'node:readline';

const TICKS = 100; // the time limit for a URL: 10 s in steps of 0.1 s, which take longer while the process is busy
const AT_ONCE = 16;
const MAX_PAGES = 100; // a client that follows a cursor without end
console.debug = console.warn = console.log = console.error; // stdout is for the answers

// An error in the background must not end the other conversations.
process.on('uncaughtException', (error) => console.error(error));
process.on('unhandledRejection', (error) => console.error(error));

// Lists what the server offers.
export async function offers(client) {
  const capabilities = client.getServerCapabilities();
  if (!capabilities?.tools) {
    if (capabilities?.prompts) await client.listPrompts();
    if (capabilities?.resources) await client.listResources();
    return { tools: [] };
  }
  const tools = [];
  let cursor;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const found = await client.listTools(cursor === undefined ? {} : { cursor });
    tools.push(...found.tools.map((tool) => tool.name));
    cursor = found.nextCursor || undefined;
    if (cursor === undefined) return { tools };
  }
  throw new Error('the pages do not end');
}

async function one(use, url) {
  let timer;
  let ticks = 0;
  const late = new Promise((_, reject) => {
    timer = setInterval(() => { if ((ticks += 1) === TICKS) reject(new Error('time limit')); }, 100);
  });
  const closing = [];
  let answer;
  try {
    answer = { ok: true, ...await Promise.race([use(url, (close) => closing.push(close)), late]) };
  } catch (error) {
    answer = { ok: false, error: `${error?.name}: ${error?.message}`.slice(0, 300) };
  }
  clearInterval(timer);
  process.stdout.write(`${JSON.stringify({ url, ...answer })}\n`);
  await Promise.allSettled(closing.map((close) => close()));
}

export async function run(use) {
  const waiting = [];
  const running = new Set();
  const next = () => {
    while (running.size < AT_ONCE && waiting.length) {
      const task = one(use, waiting.shift()).finally(() => { running.delete(task); next(); });
      running.add(task);
    }
  };
  for await (const line of createInterface({ input: process.stdin })) {
    waiting.push(line.trim());
    next();
  }
  while (running.size) await Promise.race(running);
  process.exit(0);
}
