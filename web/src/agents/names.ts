// What people call an agent.
import type { Agent } from 'belfry-client/wire';
import { belfry } from '../access';

const PAGE = 1000;
const PAGES_MAX = 10;

export const nameOf = (agent: Agent) => agent.display_name || agent.id;

/** All that the token may see, by id; destroyed ones, too. */
export async function allAgents(): Promise<{ data: Agent[]; has_more: boolean }> {
  const data: Agent[] = [];
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; ++page) {
    const found = await belfry().agents({ limit: PAGE, after });
    data.push(...found.data);
    if (!found.has_more) return { data, has_more: false };
    after = String(found.next);
  }
  return { data, has_more: true };
}
