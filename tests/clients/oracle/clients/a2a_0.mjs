// Sends a message to A2A agents with @a2a-js/sdk 0.3, over the interface that the card prefers.
import { randomUUID } from 'node:crypto';
import { ClientFactory } from 'a2a-sdk-0.3/client';
import { run } from './lines.mjs';

run(async (site) => {
  const client = await new ClientFactory().createFromUrl(`${site}/`);
  const request = { message: { kind: 'message', messageId: randomUUID(), role: 'user', parts: [{ kind: 'text', text: 'hello' }] } };
  let answer;
  try {
    answer = await client.sendMessage(request);
  } catch (error) {
    // The agent may only stream.
    try {
      for await (const event of client.sendMessageStream(request)) answer = event;
    } catch {
      throw error;
    }
  }
  if (!answer?.kind) throw new Error(`neither a message nor a task: ${JSON.stringify(answer)}`);
  return { answer: answer.kind };
});
