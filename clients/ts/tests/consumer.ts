// A program in TypeScript that uses the package: it has to compile against types/ as strictly as it can be asked.
import { BelfryError, Client, FAILED, RETRYING, Sender, type Pulled, type Run, type RunEvent } from 'belfry-client';

export async function loop(client: Client): Promise<string[]> {
  const one: { id: string; sequence: number } = await client.emit({ type: 'a.b', source: 't', severity: 'error' });
  const many: number = (await client.emit([{ type: 'a.b', source: 't' }])).refused;
  const pulled: Pulled = await client.pull('s', 'turn_start', { format: 'openai', budget_tokens: 2000 });
  await client.acknowledge('s', { pull_id: pulled.pull_id });
  await client.reportToolCall('s', 'success', { tool_name: 't', call_id: '1', duration_ms: 3 });
  const run: Run = await client.createRun({ run_key: 'k', caller: { agent_id: 'a', agent_type: 'worker', agent_name: 'A', team_name: 'T' } });
  const names: string[] = [one.id, String(many)];
  for await (const event of await client.followRun(run.id, { start: 'live', via: 'eventsource' })) {
    const known: RunEvent = event;
    names.push(known.event);
  }
  return names;
}

export async function speak(): Promise<string> {
  const sender = new Sender('ws://127.0.0.1:7117', { token: 'bf_x', onFeedback: (words) => words === RETRYING || words === FAILED });
  try {
    return (await sender.send('s', 'user_input', { text: 'hello' })).notification_id;
  } catch (error) {
    return error instanceof BelfryError ? error.code : String(error);
  }
}

// @ts-expect-error a point that there is not
export const wrong = (client: Client) => client.pull('s', 'whenever');
