import assert from 'node:assert/strict';
import { eventually, holds } from './house.mjs';
import { dayFromNow } from './fill.mjs';
import { suite } from './suite.mjs';

let utc; // where what is typed is what is stored, wherever the machine stands
const { house, check } = suite(async (opened) => { utc = await opened.newContext({ timezoneId: 'UTC' }); });
const row = (page, text) => page.locator('.list .row', { hasText: text });
const button = (page, name) => page.getByRole('button', { name, exact: true });
const deed = (page, name) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
const section = (page, name) => page.getByRole('region', { name, exact: true });
const pageLink = (page, name) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true });
const stored = (kind, id) => house.client.record(kind, id);

/** A page that hears of changes by the stream alone: the interval at which the journal is read again does not come. */
async function byStreamAlone(path) {
  const context = await house.newContext();
  await context.addInitScript(() => {
    const real = globalThis.setInterval;
    globalThis.setInterval = (act, ms, ...more) => (ms === 10_000 ? 0 : real(act, ms, ...more));
  });
  const page = await house.visit('#/overview', context);
  const opened = page.waitForEvent('websocket', { predicate: (socket) => socket.url().includes('changes%3Aada') });
  await page.evaluate((hash) => { location.hash = hash; }, path);
  await opened;
  return page;
}

check('an empty journal invites, and its pages show once it holds something', async ({ visit }) => {
  const page = await visit('#/tasks');
  await page.getByText('Nothing to do').waitFor();
  assert.equal(await pageLink(page, 'Tasks').count(), 0);
  await page.getByLabel('Add a task').fill('<b>Water</b> the plants');
  await page.keyboard.press('Enter');
  await row(page, '<b>Water</b> the plants').locator('.state.open').waitFor();
  for (const name of ['Tasks', 'Day plan', 'Time', 'Journal']) await pageLink(page, name).waitFor();
  await holds(async () => assert.equal(await page.getByLabel('Add a task').inputValue(), ''));
  const [made] = (await house.client.records('task')).data;
  assert.deepEqual([made.title, made.category_id], ['<b>Water</b> the plants', 'general']);
});

check('all of a task is changed where it stands, and what others change is seen by itself', async () => {
  await house.client.createRecord('category', { id: 'garden', name: 'Garden', color: '#2e8b57' });
  await house.client.createRecord('label', { id: 'soon', name: 'soon' });
  await house.client.createRecord('task', { id: 'hedge', title: 'Cut the hedge' });
  const page = await byStreamAlone('#/tasks/hedge');
  await page.getByLabel('Title', { exact: true }).fill('Cut both hedges');
  await page.keyboard.press('Enter');
  await page.locator('.detail').getByLabel('Status').selectOption('in progress'); // at once: it is based on what the title has made of it
  await page.getByLabel('Priority').selectOption('P1, high');
  await page.getByLabel('Due').fill('2030-05-06');
  await page.getByLabel('Estimate').fill('soon');
  await page.getByLabel('Text').fill('Not before the birds are gone.');
  await page.locator('.detail').getByLabel('Category').selectOption('Garden');
  await page.locator('.fault', { hasText: 'Write it as 1h 30m' }).waitFor();
  await page.getByLabel('Estimate').fill('1h 30m');
  await page.keyboard.press('Enter');
  await page.getByLabel('Add a label').selectOption('soon');
  await holds(async () => {
    const { title, status, priority, due_date, estimate_min, text, category_id, label_ids } = await stored('task', 'hedge');
    assert.deepEqual([title, status, priority, due_date, estimate_min, text, category_id, label_ids], ['Cut both hedges', 'in_progress', 'p1', '2030-05-06', 90, 'Not before the birds are gone.', 'garden', ['soon']]);
  });
  assert.equal(await page.locator('.clash').count(), 0);
  await row(page, 'Cut both hedges').getByText('Garden').waitFor();
  await house.client.changeRecord('task', 'hedge', { status: 'blocked', text: 'The neighbour has the shears.' });
  await row(page, 'Cut both hedges').locator('.state.blocked').waitFor();
  await holds(async () => assert.equal(await page.getByLabel('Text').inputValue(), 'The neighbour has the shears.'));
  await page.context().close();
});

check('who was slower is told, sees how it is now, and loses nothing that he typed', async ({ visit }) => {
  await house.client.createRecord('task', { id: 'letter', title: 'Write to Lena' });
  const page = await visit('#/tasks/letter');
  const title = page.getByLabel('Title', { exact: true });
  await title.fill('Write a long letter to Lena');
  await house.client.changeRecord('task', 'letter', { title: 'Call Lena' });
  await row(page, 'Call Lena').waitFor();
  assert.equal(await title.inputValue(), 'Write a long letter to Lena');
  await title.press('Enter');
  const clash = page.locator('.clash', { hasText: 'It was changed meanwhile. Now it is: Call Lena' });
  await clash.waitFor();
  assert.deepEqual([await title.inputValue(), (await stored('task', 'letter')).title], ['Write a long letter to Lena', 'Call Lena']);
  await house.picture(page, 'task-clash');
  await clash.getByRole('button', { name: 'Save mine' }).click();
  await row(page, 'Write a long letter to Lena').waitFor();
  assert.equal((await stored('task', 'letter')).title, 'Write a long letter to Lena');
  await holds(async () => assert.equal(await page.locator('.clash').count(), 0));
  await house.client.deleteRecord('task', 'letter');
  await page.locator('.detail .trouble', { hasText: 'deleted' }).waitFor();
});

check('tasks are narrowed to a status, a category and words, and gone through by keys', async ({ visit }) => {
  await house.client.createRecord('category', { id: 'boat', name: 'Boat' });
  for (const [id, title, status, due_date] of [['sail', 'Mend the sail', 'open', '2030-02-02'], ['mast', 'Varnish the mast', 'on_hold', '2030-01-01'], ['hull', 'Scrape the hull', 'done', null]]) {
    await house.client.createRecord('task', { id, title, status, due_date, category_id: 'boat' });
  }
  const page = await visit('#/overview');
  const asked = [];
  page.on('request', (request) => { if (request.url().includes('/v1/journal/tasks?')) asked.push(new URL(request.url()).searchParams.get('status')); });
  await page.evaluate(() => { location.hash = '#/tasks'; });
  const shown = (...titles) => holds(async () => assert.deepEqual(await page.locator('.task-item strong').allInnerTexts(), titles));
  await page.getByLabel('Category').selectOption('Boat');
  await shown('Varnish the mast', 'Mend the sail');
  assert.deepEqual([...new Set(asked)], ['open,groomed,in_progress,blocked,on_hold'], 'what is open is one list');
  await page.getByLabel('Status').selectOption('due, soonest first');
  await shown('Varnish the mast', 'Mend the sail');
  await page.getByLabel('Status').selectOption('all');
  await shown('Scrape the hull', 'Varnish the mast', 'Mend the sail');
  await page.getByLabel('Search tasks').fill('sail');
  await shown('Mend the sail');
  await page.getByLabel('Search tasks').fill('');
  await page.getByLabel('Status').selectOption('Open ones');
  await shown('Varnish the mast', 'Mend the sail');
  await page.locator('.list .virtual').focus();
  await page.keyboard.press('j');
  await page.locator('.row.current', { hasText: 'Varnish the mast' }).waitFor();
  await page.keyboard.press('d');
  await shown('Mend the sail');
  assert.equal((await stored('task', 'mast')).status, 'done');
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  await page.getByRole('heading', { name: 'Day plan' }).waitFor();
});

check('a checklist grows, is checked, put in order and cut down', async ({ visit }) => {
  await house.client.createRecord('task', { id: 'trip', title: 'Pack for the trip' });
  const page = await visit('#/tasks/trip');
  await button(page, 'Add a checklist').click();
  await page.getByRole('dialog').getByLabel('Title').fill('Bag');
  await deed(page, 'Add it');
  const items = () => page.locator('.checklist li textarea').evaluateAll((all) => all.map((one) => one.value));
  const list = (...titles) => holds(async () => assert.deepEqual(await items(), titles));
  for (const title of ['Socks', 'Ticket', 'Book']) {
    await page.getByLabel('Add to Bag').fill(title);
    await page.keyboard.press('Enter');
    await page.locator('.checklist').getByRole('checkbox', { name: title }).waitFor();
  }
  await list('Socks', 'Ticket', 'Book');
  await button(page, 'Move Book up').click();
  await list('Socks', 'Book', 'Ticket');
  await page.getByRole('checkbox', { name: 'Ticket' }).check();
  await page.getByText('1 of 3').waitFor();
  await button(page, 'Delete Socks').click();
  await list('Book', 'Ticket');
  const { data } = await house.client.records('checklist_item');
  assert.deepEqual(data.map(({ title, checked }) => [title, checked]).sort(), [['Book', false], ['Ticket', true]]);
});

check('a timer runs on a task, ends on the page of time, and what was forgotten is added afterwards', async ({ visit }) => {
  await house.client.createRecord('task', { id: 'essay', title: 'Write the essay' });
  const page = await visit('#/tasks/essay', utc);
  await section(page, 'Time').getByRole('button', { name: 'Start', exact: true }).click();
  await section(page, 'Time').getByRole('button', { name: /^Stop 0:00:0\d$/ }).waitFor();
  await page.evaluate(() => { location.hash = '#/time'; });
  await section(page, 'Timer').getByText('Write the essay').waitFor();
  await section(page, 'Timer').getByRole('button', { name: 'Stop' }).click();
  await section(page, 'Timer').getByRole('button', { name: 'Start' }).waitFor();
  await holds(async () => assert.notEqual((await house.client.records('time_entry')).data[0].ended_at, null));
  await button(page, 'Add time').click();
  await page.getByLabel('Task (optional)').selectOption('Write the essay');
  await page.getByLabel('From').fill(`${dayFromNow(0)}T01:00`);
  await page.getByLabel('To', { exact: true }).fill(`${dayFromNow(0)}T00:30`);
  await deed(page, 'Add it');
  await page.locator('.fault', { hasText: 'It has to end after it begins.' }).waitFor();
  await page.getByLabel('To', { exact: true }).fill(`${dayFromNow(0)}T03:15`);
  await deed(page, 'Add it');
  await section(page, 'Per task').locator('li', { hasText: 'Write the essay' }).getByText('2 h 15 min').waitFor();
  await page.getByRole('group', { name: dayFromNow(0) }).locator('.section-head', { hasText: '2 h 15 min' }).waitFor();
  await page.locator('.span', { hasText: '01:00–03:15' }).click();
  await page.getByLabel('Note (optional)').fill('in the library');
  const { data: [entry] } = await house.client.records('time_entry');
  await house.client.changeRecord('time_entry', entry.id, { note: 'at home' });
  await deed(page, 'Save');
  await page.getByRole('dialog').getByText('It was changed meanwhile: now it is 01:00–03:15, at home.').waitFor();
  await deed(page, 'Save');
  await page.locator('.span', { hasText: 'in the library' }).waitFor();
  assert.equal((await stored('time_entry', entry.id)).ended_at.slice(0, 16), `${dayFromNow(0)}T03:15`);
});

check('a day is planned: blocks are added, moved and deleted, tasks pinned, the day rated', async ({ visit }) => {
  await house.client.createRecord('task', { id: 'soup', title: 'Cook the soup' });
  const page = await visit('#/day/2030-03-04', utc);
  await page.getByText('Nothing is planned.').waitFor();
  const block = (text) => page.locator('.plan-block', { hasText: text });
  await button(page, 'Add a block').click();
  await page.getByLabel('What (optional)').fill('Market');
  await deed(page, 'Add it');
  await block('Market').getByText('09:00–10:00').waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' }); // it gives the focus back
  await block('Market').focus();
  await page.keyboard.press('ArrowDown');
  await block('Market').getByText('09:15–10:15').waitFor();
  const { x, y } = await block('Market').boundingBox();
  await page.mouse.move(x + 60, y + 10);
  await page.mouse.down();
  await page.mouse.move(x + 60, y + 40);
  await page.mouse.move(x + 60, y + 58); // an hour is 48 pixels
  await page.mouse.up();
  await block('Market').getByText('10:15–11:15').waitFor();
  await holds(async () => assert.equal((await stored('day_plan', 'day_plan:2030-03-04')).blocks[0].start_at.slice(0, 16), '2030-03-04T10:15'));
  await page.getByLabel('Pin a task').selectOption('Cook the soup');
  await section(page, 'Pinned tasks').getByRole('link', { name: 'Cook the soup' }).waitFor();
  await page.getByRole('radiogroup', { name: 'Day', exact: true }).getByRole('radio', { name: '4, good' }).check({ force: true });
  await holds(async () => assert.equal((await house.client.records('rating')).data[0]?.score, 4));
  await holds(async () => assert.deepEqual((await stored('day_plan', 'day_plan:2030-03-04')).pinned_task_ids, ['soup']));
  // Somebody else was faster while a block was open.
  await block('Market').click();
  await page.getByLabel('To', { exact: true }).fill('12:00');
  await house.client.changeRecord('day_plan', 'day_plan:2030-03-04', { note: 'Guests at eight.' });
  await deed(page, 'Save');
  await page.getByRole('dialog').getByText('The plan was changed meanwhile.').waitFor();
  await holds(async () => assert.equal(await page.getByLabel('Note', { exact: true }).inputValue(), 'Guests at eight.'));
  assert.equal(await page.getByLabel('To', { exact: true }).inputValue(), '12:00');
  await deed(page, 'Save');
  await block('Market').getByText('10:15–12:00').waitFor();
  await block('Market').click();
  await deed(page, 'Delete');
  await block('Market').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'The day after' }).click();
  await page.getByRole('heading', { name: 'Tue, 5 Mar 2030' }).waitFor();
  await holds(async () => assert.equal(await page.locator('.scores label.lit').count(), 0));
});

check('a block over midnight is shown to its end, changed and kept', async ({ visit }) => {
  const blocks = async () => (await stored('day_plan', 'day_plan:2030-06-03')).blocks.map(({ start_at, end_at }) => [start_at.slice(0, 19), end_at.slice(0, 19)]);
  await house.client.createRecord('day_plan', { plan_date: '2030-06-03', blocks: [{ id: 'train', start_at: '2030-06-03T22:00:07Z', end_at: '2030-06-04T01:30:09Z', note: 'Night train' }] });
  const page = await visit('#/day/2030-06-03', utc);
  const block = (text) => page.locator('.plan-block', { hasText: text });
  await block('Night train').getByText('22:00–Tue 01:30').waitFor();
  const reach = await page.evaluate(() => document.querySelector('.day-column').getBoundingClientRect().bottom - document.querySelector('.plan-block').getBoundingClientRect().bottom);
  assert.ok(reach >= 0, 'its end is within the column');
  await page.locator('.hours .midnight', { hasText: 'Tue' }).waitFor();
  await block('Night train').focus();
  await page.keyboard.press('ArrowDown');
  await block('Night train').getByText('22:15–Tue 01:45').waitFor();
  await holds(async () => assert.deepEqual(await blocks(), [['2030-06-03T22:15:07', '2030-06-04T01:45:09']]));
  await block('Night train').click();
  assert.equal(await page.getByLabel('It ends on the next day').isChecked(), true);
  await page.getByLabel('What (optional)').fill('Sleeper to Vienna');
  await deed(page, 'Save');
  await block('Sleeper to Vienna').getByText('22:15–Tue 01:45').waitFor();
  await holds(async () => assert.deepEqual(await blocks(), [['2030-06-03T22:15:07', '2030-06-04T01:45:09']]));
  await block('Sleeper to Vienna').click();
  await page.getByLabel('To', { exact: true }).fill('06:20');
  await deed(page, 'Save');
  await block('Sleeper to Vienna').getByText('22:15–Tue 06:20').waitFor();
  await button(page, 'Add a block').click();
  await page.getByLabel('What (optional)').fill('Packing');
  await page.getByLabel('From').fill('21:00');
  await page.getByLabel('To', { exact: true }).fill('00:30');
  await deed(page, 'Add it');
  await page.locator('.fault', { hasText: 'It has to end after it begins, or on the next day.' }).waitFor();
  await page.getByLabel('It ends on the next day').check();
  await deed(page, 'Add it');
  await block('Packing').getByText('21:00–Tue 00:30').waitFor();
  await holds(async () => assert.deepEqual(await blocks(), [['2030-06-03T21:00:00', '2030-06-04T00:30:00'], ['2030-06-03T22:15:07', '2030-06-04T06:20:00']]));
});

check('a week is whole, however much was imported since it was written', async ({ visit }) => {
  const time = (id, day) => ({ kind: 'time_entry', id, user_id: 'ada', category_id: 'general', revision: 1, created_at: `${day}T10:00:00Z`, updated_at: `${day}T10:00:00Z`, deleted_at: null, extension: {},
    task_id: null, note: id, started_at: `${day}T08:00:00Z`, ended_at: `${day}T09:30:00Z`, source_entry_id: null });
  const bring = async (entries) => {
    for (let at = 0; at < entries.length; at += 500) {
      const answer = await fetch(`${house.daemon.url}/v1/journal/import`, { method: 'POST', headers: { authorization: `Bearer ${house.daemon.token}`, 'content-type': 'application/x-ndjson' },
        body: entries.slice(at, at + 500).map((one) => JSON.stringify(one)).join('\n') });
      assert.equal(answer.status, 200, await answer.clone().text());
    }
  };
  await bring([time('wanted', '2029-05-09')]);
  await bring(Array.from({ length: 1100 }, (_, at) => time(`old-${at}`, '2024-02-0' + (1 + at % 9))));
  const page = await visit('#/time/2029-05-09', utc);
  await page.locator('.span', { hasText: 'wanted' }).getByText('08:00–09:30').waitFor();
  assert.equal(await page.locator('.span').count(), 1);
  assert.equal(await page.locator('.time-sheet .clash').count(), 0);
});

check('a week that could not be read to its end says so', async ({ visit }) => {
  const page = await visit('#/overview', utc);
  await page.route('**/v1/journal/time_entries?**', (route) => route.fulfill({ json: { data: [], next: '1', has_more: true } }));
  await page.evaluate(() => { location.hash = '#/time/2029-05-09'; });
  await page.getByText('some of this week may be missing').waitFor();
});

check('the journal shows its entries, is written into, and searched through all kinds', async ({ visit }) => {
  await house.client.createRecord('category', { id: 'lab', name: 'Lab', color: '#6633aa' });
  const made = (kind, fields) => house.client.createRecord(kind, { category_id: 'lab', ...fields });
  await made('entry', { id: 'swim', type: 'workout', workout_type: 'open_water', started_at: '2030-01-01T08:00:00Z', duration_s: 2700, distance_m: 1850, text: '' });
  await made('task', { id: 'zebra-task', title: 'Order the zebrafish' });
  await made('checklist', { id: 'tank', task_id: 'zebra-task', title: 'Tank' });
  await made('checklist_item', { id: 'zebra-item', checklist_id: 'tank', title: 'Zebrafish food' });
  await made('time_entry', { id: 'zebra-time', note: 'zebrafish, feeding', started_at: '2030-01-02T08:00:00Z', ended_at: '2030-01-02T09:00:00Z' });
  const page = await visit('#/overview');
  // The keys are there as soon as the app knows that there is a journal, and belong together for a second.
  await holds(async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('j');
    assert.ok(await page.getByRole('heading', { name: 'Journal', level: 1 }).isVisible());
  });
  await page.getByLabel('Category').selectOption('Lab');
  const shown = (...titles) => holds(async () => assert.deepEqual(await page.locator('.record-item strong').allInnerTexts(), titles));
  await shown('open water');
  await page.keyboard.press('Escape');
  await page.locator('.list .virtual').focus();
  await page.keyboard.press('n');
  await page.keyboard.type('<i>Zebrafish</i> are awake at six');
  await page.keyboard.press('Enter');
  await shown('<i>Zebrafish</i> are awake at six', 'open water');
  await page.getByLabel('Kind').selectOption('workouts');
  await shown('open water');
  await row(page, 'open water').click();
  for (const words of ['1.85 km', '45 min']) await page.locator('.detail').getByText(words, { exact: true }).waitFor();
  await page.getByLabel('Text').fill('Cold, and worth it.');
  await page.keyboard.press('Control+Enter');
  await shown('Cold, and worth it.');
  await page.getByLabel('Kind').selectOption('All entries');
  await page.locator('.list .virtual').focus();
  await page.keyboard.press('/');
  await page.keyboard.type('zebrafi');
  await shown('<i>Zebrafish</i> are awake at six', 'zebrafish, feeding', 'Zebrafish food', 'Order the zebrafish');
  await page.getByRole('status').getByText('4 found').waitFor();
  await page.locator('.list .virtual').focus();
  for (const [title, way, hash] of [['zebrafish, feeding', 'Open the week', '#/time/2030-01-02'], ['Zebrafish food', 'Open its task', '#/tasks/zebra-task'], ['Order the zebrafish', 'Open the task', '#/tasks/zebra-task']]) {
    await row(page, title).click();
    await page.locator('.detail').getByRole('heading', { name: title }).waitFor();
    assert.equal(await page.locator('.detail').getByRole('link', { name: way }).getAttribute('href'), hash);
  }
  await page.locator('.list .virtual').focus();
  await page.keyboard.press('k');
  await page.locator('.row.current', { hasText: 'Zebrafish food' }).waitFor();
  await page.getByLabel('Kind').selectOption('tasks');
  await shown('Order the zebrafish');
  await page.getByLabel('Kind').selectOption('All kinds');
  await row(page, 'are awake at six').click();
  await button(page, 'Delete entry').click();
  await deed(page, 'Delete it');
  await shown('zebrafish, feeding', 'Zebrafish food', 'Order the zebrafish');
  await page.getByLabel('Search the journal').fill('zebrafish unicorn');
  await page.getByText('Nothing matches').waitFor();
});

check('everybody has a journal of his own', async () => {
  const bob = await house.client.once('POST', '/v1/tokens', { name: 'bob', role: 'user', user_id: 'bob' });
  const context = await house.newContext();
  const page = await context.newPage();
  await page.goto(`${house.app.url}/#${bob.token}`);
  await page.locator('.connection.live:visible').first().waitFor();
  await page.evaluate(() => { location.hash = '#/tasks'; });
  await page.getByText('Nothing to do').waitFor();
  assert.equal(await pageLink(page, 'Tasks').count(), 0);
  await page.getByLabel('Add a task').fill('Feed the cat');
  await page.keyboard.press('Enter');
  await row(page, 'Feed the cat').waitFor();
  await pageLink(page, 'Tasks').waitFor();
  const { data: [cat] } = await house.client.records('task', { user: 'bob' });
  await house.client.changeRecord('task', cat.id, { status: 'blocked' }, { user: 'bob' });
  await row(page, 'Feed the cat').locator('.state.blocked').waitFor();
  assert.equal((await house.client.records('task', { q: 'cat' })).data.length, 0);
  await context.close();
});

check('where the journal is switched off nothing of it shows', async ({ visit }) => {
  const page = await visit('#/day');
  await pageLink(page, 'Day plan').waitFor();
  house.daemon.flags = ['--no-journal'];
  await house.daemon.stop();
  await house.daemon.start();
  await page.getByText('The journal is switched off').waitFor();
  await eventually('no page of it is left', async () => (await pageLink(page, 'Day plan').count()) === 0);
  assert.equal(await pageLink(page, 'Inbox').count(), 1);
});
