// Uses the registry with @a2a-js/sdk 0.3, over the transport that the registry's card prefers.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { ClientFactory } from 'a2a-sdk-0.3/client';

const client = await new ClientFactory().createFromUrl(process.argv[2]);
const say = (text, configuration) => client.sendMessage({
  configuration,
  message: { kind: 'message', messageId: randomUUID(), role: 'user', parts: [{ kind: 'text', text }] },
});

const read = await say('which MCP servers are live?');
assert.deepEqual([read.kind, read.parts[1].data.operation], ['message', 'search_active']);
const helped = await say('help');
assert.equal(helped.kind, 'message');
assert.match(helped.parts[0].text, /list my agent at/);
const done = await say('help', { blocking: false });
assert.deepEqual([done.kind, done.status.state], ['task', 'completed']);
assert.match(done.artifacts[0].parts[0].text, /list my agent at/);
assert.deepEqual(await client.getTask({ id: done.id }), done);
const asked = await say('list my agent');
assert.equal(asked.status.state, 'input-required');
const canceled = await client.cancelTask({ id: asked.id });
assert.equal(canceled.status.state, 'canceled');
await assert.rejects(client.cancelTask({ id: asked.id }));
await assert.rejects(client.getTask({ id: 'no-such-task' }));
console.log('message, task, get, cancel');
