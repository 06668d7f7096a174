// Sends a message to an agent with @a2a-js/sdk 0.3, over the transport that the agent's card prefers.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { ClientFactory } from 'a2a-sdk-0.3/client';

const client = await new ClientFactory().createFromUrl(process.argv[2]);
const answer = await client.sendMessage({
  message: { kind: 'message', messageId: randomUUID(), role: 'user', parts: [{ kind: 'text', text: 'hello' }] },
});
assert.match(JSON.stringify(answer), /I heard: hello/);
console.log(answer.kind);
