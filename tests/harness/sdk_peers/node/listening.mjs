// The command line and the loopback listener of all peers. All requests and answers are written to standard error in full,
// because only they can explain a wrong result.
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

/** The peer's command line: --port (0 takes a free one), --sdk (a package alias) and the given on/off flags. */
export function options(...flags) {
  const switches = Object.fromEntries(flags.map((flag) => [flag, { type: 'boolean', default: false }]));
  return parseArgs({ options: { port: { type: 'string', default: '0' }, sdk: { type: 'string' }, ...switches } }).values;
}

/** Listens on 127.0.0.1 and resolves to the origin; nothing is printed before, because a card may have to name it. */
export function listen(handler, port) {
  const server = createServer((request, response) => {
    trace(request, response);
    return handler(request, response);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(Number(port), '127.0.0.1', () => resolve(`http://127.0.0.1:${server.address().port}`));
  });
}

// The chunks are copied as they pass, because a listener on the request would start its flow before the handler reads it.
function trace(request, response) {
  const asked = [];
  const answered = [];
  const tap = (stream, method, chunks) => {
    const original = stream[method].bind(stream);
    stream[method] = (chunk, ...rest) => {
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
      return original(chunk, ...rest);
    };
  };
  tap(request, 'push', asked);
  tap(response, 'write', answered);
  tap(response, 'end', answered);
  const { method, url, headers } = request;
  const writeHead = response.writeHead.bind(response);
  let given = {};
  response.writeHead = (status, ...rest) => {
    given = rest.at(-1) ?? {};
    return writeHead(status, ...rest);
  };
  response.once('close', () => {
    const sent = { ...response.getHeaders(), ...given };
    console.error(`> ${method} ${url} ${JSON.stringify(headers)}\n> ${Buffer.concat(asked)}`);
    console.error(`< ${response.statusCode} ${JSON.stringify(sent)}\n< ${Buffer.concat(answered)}\n`);
  });
}
