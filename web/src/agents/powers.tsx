// What an agent may do, where, and what becomes of its calls: they run, it asks first, or it only proposes them.
import { useState } from 'preact/hooks';
import type { Agent, ToolPolicy } from 'belfry-client/wire';
import { belfry } from '../access';
import { CategoryMark, useNames } from '../journal/names';
import { journal } from '../journal/state';
import { choicesOf, field } from '../parts/field';
import { FormDialog } from '../parts/form_dialog';
import { seen } from '../parts/seen';
import { hrefOf } from '../route';

const ALL = '*';
const POLICIES: Record<ToolPolicy, string> = { run: 'it is done', ask: 'you are asked first', propose: 'it waits until you accept it' };
const POLICY_TITLES = choicesOf(Object.fromEntries(Object.entries(POLICIES).map(([name, what]) => [name, `${name}: ${what}`])));

const toolName = (tool: string) => (tool === ALL ? 'all other tools' : tool);

/** Exact names first, then what holds for all others. */
const inOrder = (policies: Record<string, ToolPolicy>) => Object.entries(policies).sort(([a], [b]) => Number(a === ALL) - Number(b === ALL) || a.localeCompare(b, 'en'));

export function Powers({ agent, again }: { agent: Agent; again: () => void }) {
  const [choosing, setChoosing] = useState<string[] | null>(null);
  const isAlive = agent.lifecycle !== 'destroyed';
  const policies = inOrder(agent.tool_policies);

  /** They are told as a whole: what somebody else has said meanwhile stays. */
  const change = async (edit: (policies: Record<string, ToolPolicy>) => void) => {
    const present = { ...(await belfry().agent(agent.id)).tool_policies };
    edit(present);
    await belfry().changeAgent(agent.id, { tool_policies: present });
    again();
  };
  const choose = async () => {
    const tools = await belfry().tools({ limit: 1000 }).catch(() => ({ data: [] }));
    const named = tools.data.filter(({ read_only }) => !read_only).map(({ name }) => name);
    setChoosing([...new Set([...named, ...Object.keys(agent.tool_policies)])].filter((name) => name !== ALL).sort());
  };
  return (
    <section aria-label="What it may do">
      <div class="section-head"><h3>What it may do</h3>{isAlive && <button type="button" class="link" onClick={() => void choose()}>Set a policy</button>}</div>
      <dl class="particulars">
        <div><dt>May</dt><dd>{agent.capabilities.length > 0 ? seen(agent.capabilities.join(', ')) : <span class="quiet">only what needs no capability</span>}</dd></div>
        <div><dt>Works in</dt><dd>{agent.allowed_category_ids.length === 0 ? <span class="quiet">no category</span> : <Categories ids={agent.allowed_category_ids} />}</dd></div>
      </dl>
      {policies.length === 0 && <p class="quiet">Whatever it may do, it does without asking.</p>}
      <ul class="rules policies" aria-label="Policies">
        {policies.map(([tool, policy]) => (
          <li key={tool}>
            <p>{tool === ALL ? 'all other tools' : <code>{seen(tool)}</code>}: <strong>{policy}</strong>, <span class="quiet">{POLICIES[policy]}</span></p>
            {isAlive && <Remove tool={tool} change={change} />}
          </li>
        ))}
      </ul>
      {policies.some(([, policy]) => policy !== 'run') && <p><a href={hrefOf('changes')}>What waits for your word</a></p>}
      {choosing && <SetPolicy tools={choosing} change={change} onClose={() => setChoosing(null)} />}
    </section>
  );
}

type Change = (edit: (policies: Record<string, ToolPolicy>) => void) => Promise<void>;

function SetPolicy({ tools, change, onClose }: { tools: string[]; change: Change; onClose: () => void }) {
  const [fields] = useState(() => [
    field('tool', 'Tool', { type: 'choice', isRequired: true, preset: ALL, choices: [{ value: ALL, title: '* (all that are not named)' }, ...tools.map((value) => ({ value, title: value }))] }),
    field('policy', 'What becomes of a call', { type: 'choice', isRequired: true, preset: 'propose', choices: POLICY_TITLES, hint: 'Without a conversation, ask is propose' }),
  ]);
  const send = ({ tool, policy }: Record<string, any>) => change((policies) => { policies[tool] = policy; });
  return (
    <FormDialog title="Set a policy" deed="Set it" fields={fields} send={send} onClose={onClose}>
      <p class="quiet">What only reads, and what concerns the agent alone, is always done.</p>
    </FormDialog>
  );
}

function Remove({ tool, change }: { tool: string; change: Change }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <button type="button" aria-label={`Remove the policy for ${toolName(tool)}`} onClick={() => setAsking(true)}>Remove</button>
      {isAsking && (
        <FormDialog title="Remove this policy?" deed="Remove it" isDanger send={() => change((policies) => { delete policies[tool]; })} onClose={() => setAsking(false)}>
          <p>{tool === ALL ? 'Tools that are not named run without asking then.' : <>What holds for all other tools holds for <code>{seen(tool)}</code> then.</>}</p>
        </FormDialog>
      )}
    </>
  );
}

function Categories({ ids }: { ids: string[] }) {
  return journal.value?.enabled ? <Named ids={ids} /> : <>{seen(ids.join(', '))}</>;
}

function Named({ ids }: { ids: string[] }) {
  const names = useNames();
  return <span class="facts">{ids.map((id) => <CategoryMark key={id} names={names} id={id} />)}</span>;
}
