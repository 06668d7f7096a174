// An agent built with @a2a-js/sdk 0.3. It speaks JSON-RPC, or only REST. It answers with a message or a task.
import { randomUUID } from 'node:crypto';
import { DefaultRequestHandler, InMemoryTaskStore } from 'a2a-sdk-0.3/server';
import { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } from 'a2a-sdk-0.3/server/express';
import express from 'express';
import { listen, options } from './listening.mjs';

const { port, rest, task } = options('rest', 'task');
const heard = (message) => ({ kind: 'text', text: `I heard: ${message.parts.map((part) => part.text).join(' ')}` });

class Echo {
  async execute({ taskId, contextId, userMessage }, bus) {
    if (!task) {
      bus.publish({ kind: 'message', messageId: randomUUID(), contextId, role: 'agent', parts: [heard(userMessage)] });
    } else {
      bus.publish({
        kind: 'task', id: taskId, contextId, history: [userMessage],
        artifacts: [{ artifactId: randomUUID(), name: 'echo', parts: [heard(userMessage)] }],
        status: { state: 'completed', timestamp: new Date().toISOString() },
      });
    }
    bus.finished();
  }

  async cancelTask() {}
}

const app = express();
const origin = await listen(app, port);
const preferredTransport = rest ? 'HTTP+JSON' : 'JSONRPC';
const card = {
  name: `Interop TypeScript Echo ${preferredTransport} ${task ? 'task' : 'message'} 0.3`,
  description: 'Echoes every text message that it receives, word for word.',
  protocolVersion: '0.3.0', version: '1.0.0', url: `${origin}/${rest ? 'rest' : 'rpc'}`, preferredTransport,
  capabilities: { streaming: true, pushNotifications: false },
  defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'],
  skills: [{ id: 'echo', name: 'Echo', description: 'Answers with the text that it was sent.', tags: ['echo', 'text'], examples: ['say hello'] }],
};
const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new Echo());
app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
const shared = { requestHandler, userBuilder: UserBuilder.noAuthentication };
app.use(rest ? '/rest' : '/rpc', rest ? restHandler(shared) : jsonRpcHandler(shared));
console.log(origin);
