// Believable activity for pictures and tests: what a person finds who comes back from lunch.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './house.mjs';

export const worker = (name, id = name.toLowerCase()) => ({ agent_id: id, agent_type: 'worker', agent_name: name, team_name: 'north' });

export async function fillInbox(client) {
  const say = (text, more = {}) => client.notify(text, { user_id: 'ada', ...more });
  await say('The nightly backup has finished: 41 GB in 12 minutes', { priority: 'low', metadata: { title: 'Backup finished', topic: 'backup' } });
  await say('Three pull requests wait for your review', { metadata: { topic: 'code review', requests: [812, 815, 819] } });
  await say('The certificate of api.example.org ends in 9 days', { priority: 'high', severity: 'warning', metadata: { topic: 'certificates' } });
  await say('Flat B 12: the landlord has answered', { metadata: { title: 'An answer to your letter', topic: 'mail' } });
  await say('The download of the 2019 archive failed: the disk is full\n\n/srv/archive has 312 MB left; 4.1 GB are needed.', { priority: 'high', severity: 'error', metadata: { title: 'Download failed', topic: 'downloads' } });
  await say('Payment service: no answer for 90 seconds', { priority: 'critical', severity: 'critical', metadata: { title: 'Payments are down', topic: 'watch' } });
  const markup = await say('<img src=x onerror="document.title=\'broken\'"><b>bold</b>', { metadata: { title: '<script>alert(1)</script>' } });
  return { markup };
}

export async function fillConversation(client, session = 'research') {
  await client.putSession(session, { user_id: 'ada', agent_id: 'scout', title: 'Where is the missing invoice?', budget: { tokens: 60000 } });
  await client.postMessage(session, 'user', 'One invoice of March is missing. Can you find it?');
  await client.reportTurn(session, 'start', { agent_id: 'scout' });
  await client.postMessage(session, 'assistant', 'I will look through the mailbox and the shared folder first, then ask the bank’s export.');
  for (const [tool, error, message] of [['mail_search', 'timeout', 'no answer in 5000 ms'], ['folder_search', 'not_found', 'there is no folder "2026/march"'], ['bank_export', 'denied', 'the session has ended']]) {
    await client.reportToolCall(session, 'failure', { tool_name: tool, call_id: tool, error_type: error, error_message: message });
  }
  await eventually('the system has spoken', async () => (await client.history(session, { shape: 'path' })).data.some((node) => node.system_messages.length > 0));
  await client.postMessage(session, 'assistant', 'All three sources failed. The bank wants a new sign-in; shall I ask you for it?');
  await client.reportTurn(session, 'end', { tokens_used: 18400 });
  const second = await client.postMessage(session, 'user', 'Try the archive of last year too.');
  await client.postMessage(session, 'assistant', 'Found it: invoice 2026-0312 lies in “archive/unsorted”. I have put a copy into “2026/march”.');
  const { data } = await client.history(session, { shape: 'tree' });
  const parent = data.find((node) => node.id === second.node_id).parent_id;
  const branch = await client.postMessage(session, 'user', 'Or ask the accountant?', { parent_id: parent });
  await client.postMessage(session, 'assistant', 'I have drafted a mail to the accountant. It waits for your word.', { node_id: branch.node_id });
  const end = await client.postMessage(session, 'user', 'Good. Put the invoice into the books, please.', { parent_id: second.node_id });
  await client.postMessage(session, 'assistant', 'Before I do, I need to change a file of the accounts.', { node_id: end.node_id });
  await client.notify('The books of March are closed since yesterday', { session_id: session, user_id: 'ada', severity: 'warning', routing: { address: 'session', target: 'user', handler: 'system' } });
  return { session, branch };
}

export async function fillRuns(client) {
  const lead = await client.createRun({ user_id: 'ada', session_id: 'research', agent_id: 'lead', title: 'Compare three heat pumps', tree: true,
    caller: { agent_id: 'lead', agent_type: 'global_supervisor', agent_name: 'Lena' } });
  await client.emitRun(lead.id, [{ event: 'step.started', data: { step_name: 'plan' } }, { event: 'llm.stream', data: { delta: 'I split the question: one worker ', message_id: 'm1' } },
    { event: 'llm.stream', data: { delta: 'for prices, one for noise, one for the winters of the last ten years.', message_id: 'm1' } }, { event: 'step.finished', data: { step_name: 'plan' } }]);
  const workers = [];
  for (const [name, title] of [['Wanda', 'Prices and subsidies'], ['Wim', 'Noise at night'], ['Wolf', 'Ten winters']]) {
    const run = await client.createRun({ parent_id: lead.id, title, agent_id: name.toLowerCase(), caller: worker(name) });
    workers.push(run);
    const call = `c-${run.id}`;
    await client.emitRun(run.id, [
      { event: 'llm.stream', data: { delta: `${title}: looking for sources.`, message_id: 'a' } }, { event: 'llm.message_end', data: { message_id: 'a' } },
      { event: 'llm.tool_call', data: { tool_call_id: call, tool_name: 'web_fetch', arguments: { url: `https://example.org/${name}` } } },
    ]);
  }
  await client.emitRun(workers[0].id, [{ event: 'llm.tool_result', data: { tool_call_id: `c-${workers[0].id}`, content: '3 models, 11,400 to 14,900 euros' } }, { event: 'llm.stream', data: { delta: 'The subsidy changes the order: the second one becomes the cheapest.', message_id: 'b' } }]);
  await client.finishRun(workers[0].id, 'completed', { result: { cheapest: 'Nordwind 9' } });
  await client.emitRun(workers[2].id, { event: 'llm.tool_result', data: { tool_call_id: `c-${workers[2].id}`, content: 'HTTP 503', is_error: true } });
  await client.finishRun(workers[2].id, 'failed', { error: { type: 'source_gone', message: 'the weather archive does not answer' } });
  const done = await client.createRun({ user_id: 'ada', title: 'Tidy the download folder', agent_id: 'porter' });
  await client.finishRun(done.id, 'completed', { result: { moved: 214 } });
  await client.createRun({ user_id: 'ada', title: 'Write the minutes', agent_id: 'scribe', start: false });
  return { lead, workers };
}

export async function fillLedger(client) {
  await client.notify('The report of last week is ready', { user_id: 'ada', session_id: 'research', routing: { address: 'session', target: 'agent', handler: 'system' }, ttl_s: 1 });
  await client.notify('Say hello to the new colleague', { user_id: 'ada', session_id: 'research', directive: 'In one sentence.', routing: { address: 'session', target: 'user', handler: 'agent' }, ttl_s: 600 });
  await eventually('one has become a dead letter', async () => (await client.deadLetters()).data.length > 0);
}

const broken = (branch, build, more = {}) => ({ type: 'ci.failed', severity: 'warning', source: 'ci', user_id: 'ada', payload: { branch, build, ...more } });

/** A fixer that is at work and has more waiting, one that failed, a coach that talks, one that rests and one that is gone. */
export async function fillAgents(client) {
  await client.createAgent({ id: 'fixer', display_name: 'Build fixer', kind: 'build_fixer', capabilities: ['read_repository', 'open_pull_request'], tool_policies: { notify_user: 'run', 'forge.merge_pull_request': 'ask', '*': 'propose' } });
  await client.changeAgent('fixer', { state: { slots: { primary_goal: 'Every branch builds by the evening.', active_task_id: 'build-4711', open_loop_ids: ['review-812', 'flaky-tests'], preferences: { tone: 'short', language: 'en' } } } });
  await client.subscribeAgent('fixer', { types: ['ci.*'], predicate: 'payload.branch == "main"', window_ms: 0 });
  await client.subscribeAgent('fixer', { types: ['deploy.failed', 'deploy.slow'], severity: 'warning', sources: ['deployer'], priority: 5 });
  await client.createAgent({ id: 'scribe', display_name: 'Scribe', kind: 'minutes', mode: 'autonomous' });
  await client.subscribeAgent('scribe', { types: ['meeting.ended'], window_ms: 0 });
  await client.createAgent({ id: 'coach', display_name: 'Morning coach', kind: 'gym_coach', mode: 'interactive' });
  await client.addTimer('scribe', { name: 'weekly minutes', schedule: { kind: 'weekly', days: ['mon', 'fri'], time: '17:30' }, zone: 'Europe/Berlin', input: { text: 'What did we decide?' } });
  await client.addTimer('fixer', { name: 'nightly sweep', schedule: { kind: 'daily', time: '02:30' }, zone: 'America/New_York', priority: -5 });
  await client.createAgent({ id: 'porter', display_name: 'Porter' });
  await client.changeAgent('porter', { dormant: true });
  await client.createAgent({ id: 'old', display_name: 'The old one' });
  await client.destroyAgent('old');
  await client.emit([broken('main', 4711, { log: 'src/net/server.cpp:812: undefined reference' }), broken('side', 4712), broken('main', 4713)]);
  const done = await client.claimWake(['fixer'], { holder: 'worker on tower', wait_s: 10 });
  await client.endWake(done.wake, { result: { fixed: ['main'] } });
  await client.emit({ type: 'meeting.ended', source: 'calendar', user_id: 'ada', payload: { title: 'Weekly' } });
  const failed = await client.claimWake(['scribe'], { holder: 'scribe.py', wait_s: 10 });
  await client.endWake(failed.wake, { error: { type: 'no_recording', message: 'the recording of the meeting is empty' } });
  await client.emit(broken('main', 4714));
  const running = await client.claimWake(['fixer'], { holder: 'worker on tower', lease_s: 600, wait_s: 10 });
  await client.emit([{ type: 'deploy.slow', severity: 'warning', source: 'deployer', user_id: 'ada', payload: { seconds: 812 } }, { type: 'deploy.failed', severity: 'warning', source: 'deployer', user_id: 'ada', payload: { stage: 'smoke' } }]);
  const waiting = (await client.wakes({ agent: 'fixer', state: 'queued' })).data[0];
  return { done: done.wake, failed: failed.wake, running: running.wake, waiting };
}

/** `2026-11-16`, so many days from now. */
export const dayFromNow = (days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** A report that is due, with a checklist, time that was spent on it and a timer that runs; other tasks; a plan for today. */
export async function fillJournal(client) {
  const today = dayFromNow(0);
  const at = (time, days = 0) => `${dayFromNow(days)}T${time}:00Z`;
  for (const [id, name, color] of [['work', 'Work', '#3366cc'], ['home', 'Home & garden', '#2e8b57'], ['gym', 'Gym', '#cc6633']]) await client.createRecord('category', { id, name, color });
  for (const [id, name, color] of [['urgent', 'urgent', '#b02a20'], ['deep', 'deep work', '#6633aa']]) await client.createRecord('label', { id, name, color });
  const task = (id, title, more) => client.createRecord('task', { id, title, ...more });
  await task('tax', 'Hand in the tax return', { category_id: 'home', status: 'done' });
  await task('flat', 'Read the contract of the new flat', { category_id: 'home', status: 'groomed', due_date: dayFromNow(-2) });
  await task('dentist', 'Call the dentist', { priority: 'p3' });
  await task('gutter', 'Repair the gutter before the first frost, and see whether the tiles above the kitchen window are loose', { category_id: 'home', priority: 'p1', due_date: dayFromNow(1) });
  await task('legs', 'Legs: squats and a short run', { category_id: 'gym', status: 'in_progress', due_date: today });
  await task('invoice', 'Ask accounting for the missing invoice', { category_id: 'work', status: 'blocked', priority: 'p0', label_ids: ['urgent'] });
  await task('report', 'Write the report of the third quarter', { category_id: 'work', status: 'in_progress', priority: 'p1', due_date: dayFromNow(3), estimate_min: 360, label_ids: ['deep', 'urgent'],
    text: 'Ten pages at most. The figures come from the export of Monday.\n\nLena wants the graphs in grey, too.' });
  await client.createRecord('checklist', { id: 'before', task_id: 'report', title: 'Before it goes out' });
  for (const [position, title] of ['Somebody else has checked the figures', 'Graphs have units', 'The summary fits on one page, also on the small printer in the hall', 'Lena has it'].entries()) {
    await client.createRecord('checklist_item', { checklist_id: 'before', title, position, checked: position < 2 });
  }
  await client.linkRecords('blocked_by', 'report', 'invoice');
  await client.linkRecords('follow_up', 'legs', 'report');
  await client.createRecord('time_entry', { task_id: 'report', note: 'outline', started_at: at('09:00', -1), ended_at: at('10:40', -1) });
  await client.createRecord('time_entry', { note: 'mail', started_at: at('00:10'), ended_at: at('00:35') });
  await client.createRecord('time_entry', { task_id: 'report', note: 'the graphs', started_at: new Date(Date.now() - 3_200_000).toISOString() });
  await client.createRecord('entry', { id: 'ride', type: 'workout', workout_type: 'cycling', category_id: 'gym', text: 'To the lake and back', started_at: at('05:00', -1), ended_at: at('06:30', -1), duration_s: 5400, distance_m: 31250, energy_kcal: 720 });
  await client.createRecord('entry', { id: 'idea', type: 'text', category_id: 'work', text: 'Idea for the report\n\nBegin with the one figure that surprised everybody. Lena has the table; the long version of it can stay in the appendix.' });
  await client.linkRecords('about', 'idea', 'report');
  const block = (from, to, category_id, more) => ({ start_at: at(from), end_at: at(to), category_id, ...more });
  await client.createRecord('day_plan', { plan_date: today, note: 'The report first; no meeting before ten.', pinned_task_ids: ['report', 'gutter'], blocks: [
    block('07:00', '07:45', 'gym', { note: 'Run along the river', task_id: 'legs' }), block('08:00', '10:30', 'work', { task_id: 'report' }), block('10:00', '11:00', 'work', { note: 'Call with Lena' }),
    block('12:30', '12:45', 'home', { note: 'Water the plants on the balcony, and those of the neighbour' }), block('14:00', '16:00', 'home', { note: 'Dentist, then errands' }),
    { start_at: at('22:30'), end_at: at('01:15', 1), category_id: 'home', note: 'The night train' }] });
  await client.createRecord('rating', { target: 'day', target_id: today, score: 4 });
}

/** A wake of an agent that may only propose, in categories of its own; `call` proposes, and tells the id of the set. */
export async function proposer(client, id, { name = id, policies = { '*': 'propose' }, categories = [`${id}-category`] } = {}) {
  for (const one of categories) await client.createRecord('category', { id: one, name: `Category of ${name}` });
  await client.createAgent({ id, display_name: name, capabilities: ['category_read', 'task_read', 'task_write', 'checklist_write'], allowed_category_ids: categories, tool_policies: policies });
  await client.wakeAgent(id, { request_id: `wake of ${id}` });
  const { wake } = await client.claimWake([id], { wait_s: 10 });
  let count = 0;
  const call = async (tool_name, given) => (await client.callTool(wake, { operation_id: `${id}-${++count}`, tool_name, arguments: given })).result.content.changeSetId;
  return { wake, call, task: (title, more = {}) => call('create_task', { title, categoryId: categories[0], ...more }) };
}

/** A planner that proposes what it would do with the week: of six calls one was accepted, one rejected, one failed, and three wait. */
export async function fillChanges(client) {
  const { wake, call, task } = await proposer(client, 'planner', { name: 'Week planner', policies: { '*': 'propose', notify_user: 'ask' } });
  await client.createRecord('task', { id: 'garage', title: 'Clear out the garage before the winter, and take what nobody needs to the recycling yard', category_id: 'planner-category' });
  await client.createRecord('task', { id: 'gone', title: 'Sell the old bicycle', category_id: 'planner-category' });
  const set = await task('Book the hall for the party');
  await task('Buy a second alarm clock');
  await call('update_task_due_date', { taskId: 'gone', dueDate: dayFromNow(4) });
  await call('update_task_fields', { taskId: 'garage', priority: 'p1', dueDate: dayFromNow(6), estimateMinutes: 240 });
  await call('create_checklist', { taskId: 'garage', title: 'What goes', items: [{ title: 'The paint of 2009' }, { title: 'Both sledges' }, { title: 'A box of cables that fit nothing' }] });
  await call('emit_event', { type: 'week.planned', payload: { week: 47 } });
  await client.endWake(wake);
  await client.acceptChanges(set, 1);
  await client.rejectChanges(set, 2);
  await client.deleteRecord('task', 'gone');
  await client.acceptChanges(set, 3);
  return set;
}

/** When no work of folding is left. */
export const settled = (client, id) => eventually(`${id} has folded what was due`, async () => (await client.folds(id)).data.every(({ state }) => state === 'done'));

/** A worker's hold on an agent, in a session of its person: what it says stays there. */
export async function thinker(client, id, { session = `${id}-talk`, said = 'Good morning.', ...more } = {}) {
  if (!(await client.agents({ limit: 1000 })).data.some((one) => one.id === id)) await client.createAgent({ id, user_id: 'ada', memory: { budget_tokens: 1200, hot_tokens: 400, hot_messages: 16 }, ...more });
  await client.putSession(session, { user_id: 'ada', agent_id: id, title: `What ${id} is told` });
  await client.wakeAgent(id, { session_id: session, input: { text: said }, turn_id: `${session}-${said}` });
  const { wake } = await client.claimWake([id], { wait_s: 10, lease_s: 600 });
  const think = (...texts) => client.appendAgentMessages(wake, texts.map((content) => ({ kind: 'thought', content: typeof content === 'string' ? { text: content } : content })));
  return { wake, think, thread: `${id}:session:${session}` };
}

/** A gardener that has worked for long: cold, warm and hot, with goals, decisions, open loops, an effect and an error of tools, and another thread. */
export async function fillMemory(client, id = 'gardener') {
  await client.createRecord('category', { id: `${id}-beds`, name: 'Beds' });
  const { wake, think, thread } = await thinker(client, id, { display_name: 'Head gardener', capabilities: ['category_read', 'task_read', 'task_write'], allowed_category_ids: [`${id}-beds`], said: 'What is to be done before the frost?' });
  await client.changeAgent(id, { state: { slots: { primary_goal: 'Nothing freezes this winter.' } } });
  await think('Goal: every bed is covered before the first frost', 'Decision: the dahlias are dug up on Saturday', 'Open loop: ask Bob whether he lends his cart', 'The key to the shed hangs behind the rain barrel, number 4711');
  await client.callTool(wake, { operation_id: `${id}-1`, tool_name: 'create_task', arguments: { title: 'Dig up the dahlias', categoryId: `${id}-beds` } });
  await client.callTool(wake, { operation_id: `${id}-2`, tool_name: 'create_task', arguments: { title: 'Order straw', categoryId: 'elsewhere' } }).catch(() => {});
  for (let round = 1; round <= 11; ++round) {
    await think(...Array.from({ length: 26 }, (_, at) => `Round ${round}, bed ${at + 1}: the soil is damp, and there are leaves to be raked from plot${round}x${at + 1}`));
    await settled(client, id);
  }
  await think('Todo: empty the water pipes', { text: `A long list of bulbs: ${'tulip, narcissus, crocus, '.repeat(300)}and the last one is a snowdrop` }, '<img src=x onerror="document.title=1"> stands on the label of the fuchsia');
  await settled(client, id);
  await client.endWake(wake);
  const second = await thinker(client, id, { session: `${id}-roses`, said: 'And the roses?' });
  await second.think('The roses are cut in March.');
  await client.endWake(second.wake);
  return { id, thread, roses: second.thread };
}

export function breakSubscriber(daemon) {
  writeFileSync(join(daemon.subscribers, 'broken.toml'), '[subscriber]\nid = "broken"\nname = "Broken"\ndescription = "A file with a slip."\nversion = "1.0"\n\n[events]\ntypes = ["ci.failed"]\nseverty_filter = "error"\n');
  writeFileSync(join(daemon.subscribers, 'ci.toml'), '[subscriber]\nid = "ci_failure"\nname = "Failed builds"\ndescription = "Tells the agent which builds failed."\nversion = "1.0.0"\n\n[events]\ntypes = ["ci.build.failed", "ci.deploy.*"]\nseverity_filter = "warning"\n\n[output]\npriority = "high"\n');
  daemon.process.kill('SIGHUP');
}
