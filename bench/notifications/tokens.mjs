// What notifications cost a model, beside the same cells as JSON, by o200k_base (npm gpt-tokenizer).
//   node tokens.mjs PATH_OF_notification_corpus FOLDER_FOR_NPM EVENTS [json]
// Fails unless they take at least 40 % fewer tokens than the same events as JSON of two spaces and 30 % fewer than as compact JSON.
// With `json` it only says what it counted, on one line, and leaves the goals to section (m) of bench/run.py.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { lacks } from '../../tests/packages.mjs';

const [program, npm, wanted, form] = process.argv.slice(2);
const entry = join(resolve(npm), 'node_modules/gpt-tokenizer/esm/encoding/o200k_base.js');
if (!existsSync(entry)) lacks('the package gpt-tokenizer');
const { encode } = await import(pathToFileURL(entry));
const tokens = (text) => encode(text).length;

const folder = mkdtempSync(join(tmpdir(), 'belfry-tokens-'));
const made = spawnSync(program, [folder, wanted], { encoding: 'utf8', maxBuffer: 1 << 30 });
rmSync(folder, { recursive: true });
if (made.status !== 0) throw new Error(made.stderr);
const notifications = made.stdout.trim().split('\n').map((line) => JSON.parse(line));

// The cells that a notification shows of an event: what its line or its row is made of, and nothing else.
const budget = ({ type, payload: p }) => type === 'budget.timeout.warning'
  ? { budget: 'seconds', percent: Math.trunc(100 * p.elapsed_seconds / p.limit_seconds), current: p.elapsed_seconds, limit: p.limit_seconds }
  : { budget: p.budget_type + 's', percent: p.percentage, current: p.current, limit: p.limit };
const cells = {
  tool_failure: ({ type, payload: p }) => type === 'tool.call.timeout'
    ? { tool: p.tool_name, error: 'timeout', message: `no answer in ${p.timeout_ms}ms` }
    : { tool: p.tool_name, error: p.error_type, message: p.error_message },
  budget_warning: budget,
  budget_exceeded: ({ type, payload: p }) => ({ budget: type.split('.')[1], current: p.current, limit: p.limit }),
  context_limit: ({ payload: p }) => ({ percent: p.percent, current: p.current_tokens, max: p.max_tokens }),
  loop_detected: ({ payload: p }) => ({ pattern: p.pattern, repetitions: p.repetitions, seconds: p.window_seconds }),
  self_notify: ({ payload: p }) => ({ category: p.category, message: p.message }),
  session_resumed: ({ payload: p }) => ({ nodes: p.nodes_loaded, last_question: p.last_question }),
  source_stale: ({ payload: p }) => ({ path: p.path }),
  subagent: ({ type, payload: p }) => ({ task: p.task_id, status: type.slice(9), result: p.error_message ?? p.result_summary }),
  task_checkpoint: ({ payload: p }) => ({ turn: p.turn, message: p.message }),
  client_status: ({ payload: p }) => p,
};
const newest_only = new Set(['context_limit', 'session_resumed']);

// The rows of a notification as JSON: a line becomes an object, a table is the same table in JSON already.
function rows_as_json({ subscriber, document, events }) {
  const [[name, value]] = Object.entries(document);
  const shown = newest_only.has(subscriber) ? events.slice(-1) : events;
  if (typeof value === 'object' && !(Array.isArray(value) && typeof value[0] === 'string')) return document;
  const repeats = !newest_only.has(subscriber) && shown.some((event) => event.count > 1);
  const rows = shown.map((event) => ({ ...cells[subscriber](event), ...(repeats ? { times: event.count } : {}) }));
  return { [name]: Array.isArray(value) ? rows : rows[0] };
}

// The events of a notification as JSON, each with the cells that its row shows: those too that were folded into one.
function events_as_json({ subscriber, document, events }) {
  const [[name, value]] = Object.entries(document);
  const table = Array.isArray(value) && typeof value[0] === 'object' ? value : [];
  const all = events.flatMap((event, i) => {
    const { times, ...row } = table[i] ?? cells[subscriber](event);
    return Array(event.count).fill(row);
  });
  return { [name]: all };
}

const sum = { notifications: 0, rows: 0, events: 0, content: 0, events_pretty: 0, events_compact: 0, pretty: 0, compact: 0, document_pretty: 0, document_compact: 0, estimate: 0 };
const errors = [];
for (const one of notifications) {
  const content = tokens(one.content);
  const json = rows_as_json(one);
  const all = events_as_json(one);
  sum.notifications += 1;
  sum.rows += one.events.length;
  for (const event of one.events) sum.events += event.count;
  sum.content += content;
  sum.events_pretty += tokens(JSON.stringify(all, null, 2));
  sum.events_compact += tokens(JSON.stringify(all));
  sum.pretty += tokens(JSON.stringify(json, null, 2));
  sum.compact += tokens(JSON.stringify(json));
  sum.document_pretty += tokens(JSON.stringify(one.document, null, 2));
  sum.document_compact += tokens(JSON.stringify(one.document));
  sum.estimate += one.estimate;
  errors.push(one.estimate / content - 1);
}
if (sum.events < Number(wanted)) throw new Error('events are missing');
if (form === 'json') {
  console.log(JSON.stringify(sum));
  process.exit(0);
}
const fewer = (than) => 1 - sum.content / than;
const percent = (share) => `${(share * 100).toFixed(1)} %`;
errors.sort((a, b) => a - b);
const at = (share) => `${errors[Math.floor(share * (errors.length - 1))] < 0 ? '' : '+'}${percent(errors[Math.floor(share * (errors.length - 1))])}`;
console.log(`${sum.events} events in ${sum.notifications} notifications of ${sum.rows} rows; tokens by o200k_base

| | tokens | notifications take fewer by | goal |
|---|---:|---:|---:|
| notifications, TOON | ${sum.content} | | |
| the same events with the same cells as JSON, two spaces | ${sum.events_pretty} | ${percent(fewer(sum.events_pretty))} | 40 % |
| … as compact JSON | ${sum.events_compact} | ${percent(fewer(sum.events_compact))} | 30 % |
| the same rows, repeats folded there too, as JSON, two spaces | ${sum.pretty} | ${percent(fewer(sum.pretty))} | |
| … as compact JSON | ${sum.compact} | ${percent(fewer(sum.compact))} | |
| the same documents, lines left lines, as JSON, two spaces | ${sum.document_pretty} | ${percent(fewer(sum.document_pretty))} | |
| … as compact JSON | ${sum.document_compact} | ${percent(fewer(sum.document_compact))} | |

Belfry's own estimate: ${sum.estimate} (${percent(sum.estimate / sum.content - 1)} off in all); of single notifications 5 % are below ${at(0.05)}, half below ${at(0.5)}, 95 % below ${at(0.95)}`);
// The format alone, without what folding saves, must not get worse either.
const short = fewer(sum.events_pretty) < 0.4 || fewer(sum.events_compact) < 0.3 || fewer(sum.pretty) < 0.4 || fewer(sum.compact) < 0.1;
if (short) {
  console.error('notifications save too little');
  process.exit(1);
}
