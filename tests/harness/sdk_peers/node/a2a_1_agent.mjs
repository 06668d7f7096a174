// An agent built with @a2a-js/sdk 1.x. It speaks JSON-RPC, or only REST. It answers with a message or a task. It can also
// support A2A 0.3.
import { randomUUID } from 'node:crypto';
import { Role, TaskState } from 'a2a-sdk-1.3';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from 'a2a-sdk-1.3/server';
import { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } from 'a2a-sdk-1.3/server/express';
import express from 'express';
import { listen, options } from './listening.mjs';

const { port, rest, task, 'both-versions': both } = options('rest', 'task', 'both-versions');

const textPart = (text) => ({ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: 'text/plain' });
const heard = (message) => textPart(`I heard: ${message.parts.map((part) => part.content?.value).join(' ')}`);

class Echo {
  async execute(context, bus) {
    const { taskId, contextId, userMessage } = context;
    if (!task) {
      bus.publish(AgentEvent.message({
        messageId: randomUUID(), contextId, taskId: '', role: Role.ROLE_AGENT, parts: [heard(userMessage)],
        metadata: undefined, extensions: [], referenceTaskIds: [],
      }));
    } else {
      bus.publish(AgentEvent.task({
        id: taskId, contextId, history: [userMessage], metadata: undefined,
        artifacts: [{ artifactId: randomUUID(), name: 'echo', description: '', parts: [heard(userMessage)], metadata: undefined, extensions: [] }],
        status: { state: TaskState.TASK_STATE_COMPLETED, message: undefined, timestamp: new Date().toISOString() },
      }));
    }
    bus.finished();
  }

  async cancelTask() {}
}

const app = express();
const origin = await listen(app, port);
const endpoint = `${origin}/${rest ? 'rest' : 'rpc'}`;
const protocolBinding = rest ? 'HTTP+JSON' : 'JSONRPC';
const versions = both ? ['1.0', '0.3'] : ['1.0'];
const card = {
  name: `Interop TypeScript Echo ${protocolBinding} ${task ? 'task' : 'message'} ${versions.join('+')}`,
  description: 'Echoes every text message that it receives, word for word.',
  version: '1.0.0',
  provider: { organization: 'Interop', url: origin },
  supportedInterfaces: versions.map((protocolVersion) => ({ url: endpoint, protocolBinding, protocolVersion, tenant: '' })),
  capabilities: { streaming: true, pushNotifications: false, extensions: [] },
  securitySchemes: {}, securityRequirements: [], signatures: [],
  defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'],
  skills: [{ id: 'echo', name: 'Echo', description: 'Answers with the text that it was sent.', tags: ['echo', 'text'],
             examples: ['say hello'], inputModes: [], outputModes: [], securityRequirements: [] }],
};
const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new Echo());
const shared = { requestHandler, userBuilder: UserBuilder.noAuthentication, legacyCompat: { enabled: both } };
app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler, legacyCompat: { enabled: both } }));
app.use(rest ? '/rest' : '/rpc', rest ? restHandler(shared) : jsonRpcHandler(shared));
console.log(origin);
