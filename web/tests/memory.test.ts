// @ts-nocheck: the types of Node are not part of the app.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aboutOf, choiceWords, clipped, countWords, hitsIn, isWhole, leftOut, many, notesOf, saidIn, sessionOf, sharesOf, spanWords, threadWords, tierOf } from '../src/memory/words';

test('a message is hot, its summary warm, and what folds that is cold', () => {
  assert.deepEqual([0, 1, 2, 7].map(tierOf), ['hot', 'warm', 'cold', 'cold']);
});

test('threads in words', () => {
  const threads = ['fixer:session:research', 'fixer:run:17', 'fixer:memory', 'other:run:1', 'fixer:session:a:session:b'];
  assert.deepEqual(threads.map((one) => threadWords('fixer', one)), ['session research', 'run 17', 'several threads', 'other:run:1', 'session a:session:b']);
  assert.deepEqual(threads.map((one) => sessionOf('fixer', one)), ['research', null, null, null, 'a:session:b']);
});

test('a span says its day once, its seconds where the minute is the same, and a year that is not this one', () => {
  const words = (from, to) => spanWords(from, to, Date.parse('2026-11-16T20:00:00Z'));
  assert.equal(words('2026-11-16T14:03:10Z', '2026-11-16T15:20:00Z'), '16 Nov, 14:03 – 15:20');
  assert.equal(words('2026-11-14T09:00:00Z', '2026-11-16T15:20:00Z'), '14 Nov, 09:00 – 16 Nov, 15:20');
  assert.equal(words('2024-03-01T09:00:00Z', '2026-11-16T15:20:00Z'), '1 Mar 2024, 09:00 – 16 Nov, 15:20');
  assert.equal(words('2026-11-16T14:03:10Z', '2026-11-16T14:03:50Z'), '16 Nov, 14:03:10 – 14:03:50');
  assert.equal(words('2024-11-16T14:03:10.100Z', '2024-11-16T14:03:10.900Z'), '16 Nov 2024, 14:03:10');
});

test('how many of them', () => {
  assert.deepEqual([many(1, 'message'), many(0, 'message'), many(1200, 'summary'), many(1, 'entry')], ['1 message', '0 messages', '1,200 summaries', '1 entry']);
  assert.equal(countWords({ thought: 1234, tool_result: 2 }), '1,234 thought, 2 tool result');
});

test('a summary by rules says its span and its counts once', () => {
  const head = '34 messages from 2026-11-16T14:03:00.000Z to 2026-11-16T15:20:00.000Z: 20 thought, 14 user.';
  assert.equal(notesOf({ by: 'rules', text: `${head}\nFirst said: hello` }), 'First said: hello');
  assert.equal(notesOf({ by: 'rules', text: head }), '');
  assert.equal(notesOf({ by: 'rules', text: 'what a worker wrote' }), 'what a worker wrote');
  assert.equal(notesOf({ by: 'model', text: head }), head);
});

test('what a message says, whatever its content is', () => {
  const contents = ['plain', { text: 'a word' }, { text: 'a word', mark: 'goal' }, { text: 'a word', more: 1 }, { path: '/x' }, {}, null, undefined, [1, 2]];
  assert.deepEqual(contents.map((content) => saidIn({ content })), ['plain', 'a word', 'a word', '{"text":"a word","more":1}', '{"path":"/x"}', '', '', '', '[1,2]']);
  assert.deepEqual([isWhole({ content: {}, content_entry_id: 'e' }), isWhole({ content: {}, content_entry_id: null }), isWhole({ content: 'x', content_entry_id: 'e' })], [false, true, true]);
  assert.equal(clipped('x'.repeat(1000)).length, 361);
  assert.equal(clipped('short'), 'short');
});

test('what a message is beside its words', () => {
  assert.equal(aboutOf({ action: { action_type: 'tool_call', tool_name: 'create_task' } }), 'create_task');
  assert.equal(aboutOf({ action: { action_type: 'propose_plan', tool_name: null } }), 'propose plan');
  assert.equal(aboutOf({ tool_result: {}, metadata: { status: 'error', error_code: 'out_of_scope' } }), 'error: out_of_scope');
  assert.equal(aboutOf({ content: { text: 'x', mark: 'open_loop' } }), 'open loop');
  assert.equal(aboutOf({ content: null }), '');
});

const choice = (part, tokens, fate = 'included', what = null) => ({ part, id: `${part}${tokens}`, what, tokens, fate });
const told = {
  budget_tokens: 1000, reserved_tokens: 100, used_tokens: 350,
  choices: [choice('slots', 20), choice('carried', 30, 'included', 'goal'), choice('carried', 70, 'over_budget', 'open_loop'), choice('summary', 90), choice('summary', 400, 'over_budget'), choice('message', 200), choice('message', 50, 'over_hot')],
};

test('the shares of a budget are all of it', () => {
  const shares = sharesOf(told);
  assert.deepEqual(shares.map(({ name, tokens }) => [name, tokens]), [['reserved', 100], ['slots', 20], ['carried', 30], ['summary', 90], ['message', 200], ['headings', 10], ['free', 550]]);
  assert.equal(shares.reduce((sum, { tokens }) => sum + tokens, 0), told.budget_tokens);
});

test('what is left out stands by its reason', () => {
  assert.deepEqual(leftOut(told).map(({ fate, choices, tokens }) => [fate, choices.map(choiceWords), tokens]), [['over_budget', ['open loop', 'summary'], 470], ['over_hot', ['message'], 50]]);
  assert.deepEqual(leftOut({ ...told, choices: undefined }), []);
});

test('words that were looked for are found whole, in any case', () => {
  assert.deepEqual(hitsIn('… The Code of the gate: 4711, decode', 'code 4711 <b>').filter(({ isHit }) => isHit).map(({ text }) => text), ['Code', '4711']);
  assert.equal(hitsIn('a <b> c', 'b').map(({ text }) => text).join(''), 'a <b> c');
  assert.deepEqual(hitsIn('Größe zählt', 'größe').map(({ isHit }) => isHit), [true, false, false]);
});
