// Sends a message to an agent with @a2a-js/sdk 1.x, over the transport that the agent's card prefers.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Role } from 'a2a-sdk-1.3';
import { ClientFactory } from 'a2a-sdk-1.3/client';

const client = await new ClientFactory().createFromUrl(process.argv[2]);
const answer = await client.sendMessage({
  tenant: '', configuration: undefined, metadata: undefined,
  message: {
    messageId: randomUUID(), contextId: '', taskId: '', role: Role.ROLE_USER, metadata: undefined, extensions: [], referenceTaskIds: [],
    parts: [{ content: { $case: 'text', value: 'hello' }, metadata: undefined, filename: '', mediaType: 'text/plain' }],
  },
});
assert.match(JSON.stringify(answer), /I heard: hello/);
console.log(answer.status ? 'task' : 'message');
