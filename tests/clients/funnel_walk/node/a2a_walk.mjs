// Walks the funnel with the official A2A client of JavaScript. The first message publishes the peer: it is an example from
// the registry's card. After that, each answer contains the next message to send.
// Arguments: the registry's base URL, the peer's URL, and how to find the next message. With `data`, the `next` object of
// the answer is sent back unchanged as a data part. With `words`, the next message is read from the text of the answer.
// Each message is printed as a line of JSON with its answer.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Role } from 'a2a-sdk-1.3';
import { ClientFactory, DefaultAgentCardResolver } from 'a2a-sdk-1.3/client';

const MOST_CALLS = 20;
const [base, peer, way] = process.argv.slice(2);
const card = await new DefaultAgentCardResolver().resolve(base);
const client = await new ClientFactory().createFromAgentCard(card);

async function send($case, value) {
  const part = { content: { $case, value }, metadata: undefined, filename: '', mediaType: '' };
  const answer = await client.sendMessage({
    tenant: '', configuration: undefined, metadata: undefined,
    message: {
      messageId: randomUUID(), contextId: '', taskId: '', role: Role.ROLE_USER, metadata: undefined, extensions: [],
      referenceTaskIds: [], parts: [part],
    },
  });
  // A message, or a task with its artifact or its status.
  const parts = answer.parts ?? answer.artifacts[0]?.parts ?? answer.status.message.parts;
  const [text, data] = ['text', 'data'].map((kind) => parts.find(({ content }) => content.$case === kind).content.value);
  console.log(JSON.stringify({ call: 'message/send', sent: value, text, answer: data }));
  assert.equal(data.ok, true, text);
  return { text, data };
}

/** The next message, as the arguments of `send`, or nothing if the answer names none. */
function following({ text, data }) {
  if (way === 'data') return data.next && ['data', data.next];
  const found = text.match(/ Say: "([^"]+)"$/) ?? text.match(/ Send: (\{.*\})$/);
  return found && ['text', found[1]];
}

const [example] = card.skills.find(({ id }) => id === 'list-yourself').examples;
let step = ['text', example.replace(/https?:\/\/\S+/, peer)];
for (let calls = 1; ; calls += 1) {
  assert.ok(calls <= MOST_CALLS, `not finished after ${MOST_CALLS} messages`);
  const answer = await send(...step);
  step = following(answer);
  const { operation, arguments: sent, next } = answer.data;
  if (!step) {
    // The last answer is the tree. The note before it explained how to get it as an archive.
    await send('data', { tool: operation, arguments: { ...sent, format: 'zip' } });
    break;
  }
  await sleep((next?.wait_s ?? 0) * 1000);
}
