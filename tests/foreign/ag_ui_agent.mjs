// Speaks to an agent through the HttpAgent of @ag-ui/client, as an application does: told {url, token, threadId, runId, text}.
import { load, report, told } from './packages.mjs';

const { HttpAgent } = await load('@ag-ui/client');
const { url, token, threadId, runId, text } = told();
const agent = new HttpAgent({
  url,
  threadId,
  headers: { Authorization: `Bearer ${token}` },
  initialMessages: [{ id: 'm-1', role: 'user', content: text }],
});
const events = [];
try {
  const { newMessages } = await agent.runAgent({ runId }, { onEvent: ({ event }) => { events.push(event); } });
  report({ events, newMessages, messages: agent.messages });
} catch (error) {
  report({ events, failed: String(error?.message ?? error) });
}
