// Verifies the signature of the registry's card with @a2a-js/sdk 1.x. Then uses the registry over the binding in the
// arguments (JSON-RPC or REST).
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Role, TaskState, verifyAgentCardSignature } from 'a2a-sdk-1.3';
import { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver } from 'a2a-sdk-1.3/client';

const [site, binding] = process.argv.slice(2);

// The key from the key set of the registry. A signature must name this key set.
const verify = verifyAgentCardSignature(async (kid, jku) => {
  assert.equal(jku, `${site}/.well-known/jwks.json`);
  const { keys } = await (await fetch(jku)).json();
  return keys.find((key) => key.kid === kid);
});
await verify(await new DefaultAgentCardResolver().resolve(site));

const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { preferredTransports: [binding] });
const client = await new ClientFactory(options).createFromUrl(site);
const hurried = {
  acceptedOutputModes: [], taskPushNotificationConfig: undefined, historyLength: undefined, returnImmediately: true,
};
const say = (text, configuration) => client.sendMessage({
  tenant: '', configuration, metadata: undefined,
  message: {
    messageId: randomUUID(), contextId: '', taskId: '', role: Role.ROLE_USER, metadata: undefined, extensions: [], referenceTaskIds: [],
    parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: 'text/plain' }],
  },
});

const read = await say('which MCP servers are live?');
assert.equal(read.parts[1].content.value.operation, 'search_active');
const helped = await say('help');
assert.match(helped.parts[0].content.value, /list my agent at/);
const done = await say('help', hurried);
assert.equal(done.status.state, TaskState.TASK_STATE_COMPLETED);
assert.match(done.artifacts[0].parts[0].content.value, /list my agent at/);
assert.deepEqual(await client.getTask({ tenant: '', id: done.id }), done);
const asked = await say('list my agent');
assert.equal(asked.status.state, TaskState.TASK_STATE_INPUT_REQUIRED);
const listed = await client.listTasks({
  tenant: '', contextId: asked.contextId, status: TaskState.TASK_STATE_UNSPECIFIED, pageSize: 5, pageToken: '',
});
assert.deepEqual([listed.tasks.map((task) => task.id), listed.totalSize], [[asked.id], 1]);
const canceled = await client.cancelTask({ tenant: '', id: asked.id });
assert.equal(canceled.status.state, TaskState.TASK_STATE_CANCELED);
await assert.rejects(client.cancelTask({ tenant: '', id: asked.id }), /cannot be canceled/);
await assert.rejects(client.getTask({ tenant: '', id: 'no-such-task' }), /`no-such-task` not found/);
console.log('card verified; message, task, get, list, cancel');
