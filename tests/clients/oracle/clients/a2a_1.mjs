// Sends a message to A2A agents with @a2a-js/sdk 1.x, over the interface that the card prefers.
import { randomUUID } from 'node:crypto';
import { Role } from 'a2a-sdk-1.3';
import { ClientFactory } from 'a2a-sdk-1.3/client';
import { run } from './lines.mjs';

run(async (site) => {
  const client = await new ClientFactory().createFromUrl(`${site}/`);
  const request = {
    tenant: '', configuration: undefined, metadata: undefined,
    message: {
      messageId: randomUUID(), contextId: '', taskId: '', role: Role.ROLE_USER, metadata: undefined, extensions: [], referenceTaskIds: [],
      parts: [{ content: { $case: 'text', value: 'hello' }, metadata: undefined, filename: '', mediaType: 'text/plain' }],
    },
  };
  let answer;
  try {
    answer = await client.sendMessage(request);
  } catch (error) {
    // The agent may only stream.
    try {
      for await (const event of client.sendMessageStream(request)) answer = event.payload?.value ?? event;
    } catch {
      throw error;
    }
  }
  const isTask = answer && 'status' in answer;
  if (!isTask && !Array.isArray(answer?.parts)) throw new Error(`neither a message nor a task: ${JSON.stringify(answer)}`);
  return { answer: isTask ? 'task' : 'message' };
});
