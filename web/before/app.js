// A window on the stream of events. Whatever comes from events is set as text, never as markup.
'use strict';

const shown_max = 500;
const $ = (id) => document.getElementById(id);
let token = sessionStorage.getItem('token') || '';
let source = null;
let last = null;
let count = 0;
let retry_ms = 500;

if (location.hash.startsWith('#bf_')) {
  token = location.hash.slice(1);
  sessionStorage.setItem('token', token);
  history.replaceState(null, '', location.pathname);
}

function say(text, lost) {
  $('state').textContent = text;
  $('state').classList.toggle('lost', Boolean(lost));
}

function element(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

function row(entry) {
  const item = document.createElement('li');
  const event = entry.event;
  if (!event) {
    item.append(element('p', 'gap', `#${entry.sequence} was erased`));
    return item;
  }
  const details = document.createElement('details');
  const summary = document.createElement('summary');
  const time = new Date(event.timestamp);
  summary.append(
    element('span', 'sequence', `#${entry.sequence}`),
    element('time', 'time', time.toLocaleTimeString()),
    element('span', `severity ${event.severity}`, event.severity),
    element('span', 'type', event.type),
    element('span', 'source', event.source),
    element('span', 'payload', JSON.stringify(event.payload)));
  details.append(summary);
  // The long form is made when somebody asks for it.
  details.addEventListener('toggle', () => {
    if (details.open && !details.querySelector('pre')) {
      details.append(element('pre', '', JSON.stringify(event, null, 2)));
    }
  });
  item.append(details);
  return item;
}

function add(item) {
  $('empty').hidden = true;
  const list = $('events');
  list.prepend(item);
  while (list.childElementCount > shown_max) list.lastElementChild.remove();
}

function query(more) {
  const parameters = new URLSearchParams(more);
  const form = new FormData($('filter'));
  for (const name of ['type', 'severity']) if (form.get(name)) parameters.set(name, form.get(name));
  return parameters;
}

async function ask(path, options) {
  const answer = await fetch(path, { ...options, headers: { Authorization: `Bearer ${token}` } });
  const body = await answer.json();
  if (answer.status === 401) {
    $('sign-in').hidden = false;
    throw new Error('this needs an access token');
  }
  if (!answer.ok) throw new Error(body.detail || answer.statusText);
  return body;
}

function close() {
  if (source) source.close();
  source = null;
}

// An EventSource cannot send a header: it gets a ticket, once, and a new one each time it has to come back.
async function follow() {
  close();
  try {
    const ticket = (await ask('/v1/tickets', { method: 'POST' })).ticket;
    $('sign-in').hidden = true;
    const start = last === null ? { from: 'live' } : { after: String(last) };
    source = new EventSource(`/v1/streams/events?${query({ ...start, ticket })}`);
    source.onopen = () => { retry_ms = 500; say(`live · ${count} seen`); };
    source.onmessage = (message) => {
      const entry = JSON.parse(message.data);
      last = entry.sequence;
      count += 1;
      add(row(entry));
      say(`live · ${count} seen`);
    };
    source.addEventListener('gap', (message) => {
      const gap = JSON.parse(message.data);
      const item = document.createElement('li');
      item.append(element('p', 'gap', `#${gap.from} to #${gap.to} are gone (retention)`));
      add(item);
    });
    source.onerror = () => come_back('the connection was lost');
  } catch (error) {
    come_back(error.message);
  }
}

function come_back(why) {
  close();
  say(`${why}; trying again`, true);
  if (!$('sign-in').hidden) return say(why, true);
  setTimeout(follow, retry_ms);
  retry_ms = Math.min(retry_ms * 2, 8000);
}

async function begin() {
  close();
  last = null;
  count = 0;
  $('events').replaceChildren();
  $('empty').hidden = false;
  try {
    const streams = await ask('/v1/streams');
    const head = streams.data.find((stream) => stream.name === 'events').head;
    const page = await ask(`/v1/streams/events?${query({ after: String(Math.max(0, head - 100)), limit: '100' })}`);
    for (const entry of page.data) add(row(entry));
    count = page.data.length;
    last = page.next;
    follow();
  } catch (error) {
    come_back(error.message);
  }
}

$('filter').addEventListener('submit', (event) => { event.preventDefault(); begin(); });
$('sign-in').addEventListener('submit', (event) => {
  event.preventDefault();
  token = new FormData(event.target).get('token').trim();
  sessionStorage.setItem('token', token);
  $('sign-in').hidden = true;
  begin();
});
begin();
