// Holds every event of a run in its AG-UI form against the schemas of @ag-ui/core: told {url, token}.
import { load, report, told } from './packages.mjs';

const { EventSource } = await load('eventsource');
const { EventSchema } = await load('@ag-ui/core/schemas');
const { url, token } = told();
const events = [];
const wrong = [];
const source = new EventSource(url, {
  fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, Authorization: `Bearer ${token}` } }),
});
source.onmessage = ({ data, lastEventId }) => {
  const event = JSON.parse(data);
  const parsed = EventSchema.safeParse(event);
  if (!parsed.success) wrong.push({ event, issues: parsed.error.issues });
  events.push({ ...event, at: lastEventId });
};
source.addEventListener('close', () => {
  source.close();
  report({ events, wrong });
});
source.onerror = (error) => {
  if (source.readyState === EventSource.CLOSED) report({ failed: error.code ?? String(error), events, wrong });
};
