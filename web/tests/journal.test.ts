// @ts-nocheck: the types of Node are not part of the app.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockHours, hoursOf, isOverMidnight, placed, shifted, spanOf, timesOf } from '../src/day/plan';
import { gathered } from '../src/journal/gather';
import { Saver } from '../src/journal/saver';
import { colourOf, dateOf, dayAfter, dueWords, inOrder, isDate, midnight, movesOf, spentWords, weekOf } from '../src/journal/words';
import { stopwatch } from '../src/parts/time';
import { estimateWords, minutesOf } from '../src/tasks/estimate';
import { daysOf, tasksOf } from '../src/time/week';

const now = Date.parse('2026-11-16T12:00:00Z');
const block = (id, from, to) => ({ id, start_at: `2026-11-16T${from}:00.000Z`, end_at: `2026-11-16T${to}:00.000Z`, note: id, task_id: null });
const entry = (id, task_id, started_at, ended_at) => ({ id, task_id, started_at, ended_at });

/** As somebody in that zone has it. */
function inZone(zone, body) {
  process.env.TZ = zone;
  try {
    body();
  } finally {
    process.env.TZ = 'UTC';
  }
}

test('days, weeks and what is due', () => {
  assert.deepEqual(['2026-11-16', '2026-11-22', '2026-01-01'].map(weekOf), ['2026-11-16', '2026-11-16', '2025-12-29']);
  assert.deepEqual([dayAfter('2026-02-28', 1), dayAfter('2026-01-01', -1), dateOf(now)], ['2026-03-01', '2025-12-31', '2026-11-16']);
  assert.deepEqual(['2026-11-16', '2026-11-17', '2026-11-15', '2026-11-20', '2027-01-01'].map((date) => dueWords(date, now)), ['today', 'tomorrow', 'yesterday', 'Fri, 20 Nov', 'Fri, 1 Jan 2027']);
  assert.deepEqual(['2026-11-16', '2026-13-01', 'today', null, '2026-1-1'].map(isDate), [true, false, false, false, false]);
});

test('time that was spent is told in hours, an estimate as it is typed', () => {
  assert.deepEqual([0, 59_999, 45 * 60_000, 7_200_000, 7_500_000, 31 * 3_600_000].map(spentWords), ['0 min', '0 min', '45 min', '2 h', '2 h 5 min', '31 h']);
  assert.deepEqual([-1, 9000, 3_849_000].map(stopwatch), ['0:00:00', '0:00:09', '1:04:09']);
  assert.deepEqual(['', '90', '1h 30m', '1.5h', '2h', '45 min', ' 1H30 '].map(minutesOf), [null, 90, 90, 90, 120, 45, 90]);
  assert.deepEqual([null, 0, 45, 120, 90].map(estimateWords), ['', '0m', '45m', '2h', '1h 30m']);
  for (const words of ['soon', '1h 30x', '-5']) assert.throws(() => minutesOf(words), /1h 30m/, words);
});

test('a colour is one only if it looks like one', () => {
  assert.deepEqual(['#3366cc', '#ABCDEF', 'red', '#fff', 'url(x)', null, ''].map(colourOf), ['#3366cc', '#ABCDEF', undefined, undefined, undefined, undefined, undefined]);
});

test('a list is read on over pages that have nothing, as far as is wanted, and says where it stops', async () => {
  const pages = (...all) => async (after) => ({ data: all[Number(after ?? 0)], next: String(Number(after ?? 0) + 1), has_more: Number(after ?? 0) + 1 < all.length });
  assert.deepEqual(await gathered(pages([9], [], [], [4, 3])), { data: [9, 4, 3], has_more: false });
  assert.deepEqual(await gathered(pages([9], [8], [7]), (read) => read.length >= 2), { data: [9, 8], has_more: true });
  let asked = 0;
  assert.deepEqual(await gathered(async () => ({ data: [], next: String(++asked), has_more: true })), { data: [], has_more: true });
  assert.equal(asked, 20);
});

test('items stand by their places, and moving one changes no more than has to be', () => {
  const items = inOrder([{ id: 'c', position: 0, created_at: '3' }, { id: 'd', position: 1, created_at: '4' }, { id: 'b', position: 0, created_at: '2' }, { id: 'a', position: 0, created_at: '1' }]);
  assert.deepEqual(items.map(({ id }) => id), ['a', 'b', 'c', 'd']);
  assert.deepEqual(movesOf(items, 2, 1).map(({ one, position }) => [one.id, position]), [['c', 1], ['b', 2], ['d', 3]]);
  const settled = items.map((one, position) => ({ ...one, position }));
  assert.deepEqual(movesOf(settled, 2, 1).map(({ one, position }) => [one.id, position]), [['c', 1], ['b', 2]]);
  assert.deepEqual(movesOf(settled, 0, 3).map(({ one, position }) => [one.id, position]), [['b', 0], ['c', 1], ['d', 2], ['a', 3]]);
});

test('blocks that overlap stand side by side, others have all of the width', () => {
  const seen = placed([block('late', '14:00', '15:00'), block('a', '09:00', '11:00'), block('b', '10:00', '12:00'), block('c', '11:00', '13:00')]);
  assert.deepEqual(seen.map((one) => [one.block.id, one.lane, one.lanes]), [['a', 0, 2], ['b', 1, 2], ['c', 0, 2], ['late', 0, 1]]);
});

test('the column reaches as far as its blocks do, and a block begins on its day', () => {
  const hours = (blocks) => hoursOf(spanOf('2026-11-16', blocks)).map(({ words }) => words);
  assert.deepEqual([hours([]).at(0), hours([]).at(-1)], ['07:00', '19:00']);
  assert.deepEqual([hours([block('a', '05:30', '21:10')]).at(0), hours([block('a', '05:30', '21:10')]).at(-1)], ['05:00', '21:00']);
  const moved = shifted(block('a', '23:00', '23:45'), 3_600_000, '2026-11-16');
  assert.deepEqual([moved.start_at, moved.end_at], ['2026-11-16T23:45:00.000Z', '2026-11-17T00:30:00.000Z']);
  assert.equal(shifted(block('a', '00:15', '01:00'), -3_600_000, '2026-11-16').start_at, '2026-11-16T00:00:00.000Z');
});

test('a block over midnight is seen as a whole, moved either way, and keeps what is not touched', () => {
  const night = { ...block('night', '22:00', '22:00'), end_at: '2026-11-17T01:30:20.000Z' };
  const hours = hoursOf(spanOf('2026-11-16', [night]));
  assert.deepEqual([hours.at(-1).words, hours.filter((one) => one.isMidnight).map(({ at }) => at)], ['01:00', [midnight('2026-11-17')]]);
  assert.deepEqual([blockHours(night), isOverMidnight(night)], ['22:00–Tue 01:30', true]);
  assert.deepEqual([blockHours({ ...night, end_at: '2026-11-17T00:00:00.000Z' }), isOverMidnight({ ...night, end_at: '2026-11-17T00:00:00.000Z' })], ['22:00–00:00', false]);
  assert.deepEqual([900_000, -900_000].map((by) => blockHours(shifted(night, by, '2026-11-16'))), ['22:15–Tue 01:45', '21:45–Tue 01:15']);
  const typed = (from, to, isNextDay, known = night) => Object.values(timesOf('2026-11-16', { from, to, isNextDay }, known)).map((at) => new Date(at).toISOString());
  assert.deepEqual(typed('22:00', '01:30', true), [night.start_at, night.end_at]);
  assert.deepEqual(typed('23:15', '01:30', true), ['2026-11-16T23:15:00.000Z', night.end_at]);
  assert.deepEqual(typed('22:00', '02:00', true), [night.start_at, '2026-11-17T02:00:00.000Z']);
  assert.deepEqual(typed('22:00', '23:00', false), [night.start_at, '2026-11-16T23:00:00.000Z']);
  assert.deepEqual(typed('22:00', '00:00', false, null), [night.start_at, '2026-11-17T00:00:00.000Z']);
  assert.deepEqual(typed('00:00', '01:00', false, null), ['2026-11-16T00:00:00.000Z', '2026-11-16T01:00:00.000Z']);
});

test('a day on which clocks are changed has the hours that it has', () => inZone('Europe/Berlin', () => {
  const all = (date) => hoursOf({ from: midnight(date), to: midnight(date, 1) }).map(({ words }) => words);
  assert.deepEqual([all('2026-03-29').length, all('2026-10-25').length, all('2026-11-16').length], [23, 25, 24]);
  assert.equal(all('2026-03-29').includes('02:00'), false);
  assert.deepEqual(all('2026-10-25').filter((one) => one === '02:00').length, 2);
  assert.equal(spanOf('2026-03-29', []).from, Date.parse('2026-03-29T05:00:00Z'));
}));

test('a week has the time of each day and of each task; what runs counts until now', () => {
  const entries = [entry('night', 'report', '2026-11-15T23:00:00Z', '2026-11-16T01:00:00Z'), entry('mail', null, '2026-11-16T09:00:00Z', '2026-11-16T09:30:00Z'), entry('on', 'report', '2026-11-16T11:00:00Z', null)];
  const monday = daysOf(entries, '2026-11-16', now).at(-1);
  assert.deepEqual([monday.date, monday.sum, monday.entries.map(({ id }) => id)], ['2026-11-16', 2.5 * 3_600_000, ['on', 'mail', 'night']]);
  assert.deepEqual(tasksOf(entries, '2026-11-16', now), [{ taskId: 'report', sum: 2 * 3_600_000 }, { taskId: null, sum: 1_800_000 }]);
});

test('two changes in a row are based on each other, and those of others are not passed over', async () => {
  const saver = new Saver();
  let revision = 5;
  const send = async (from) => {
    if (from !== revision) throw new Error(`stale: ${from}, not ${revision}`);
    return { revision: ++revision };
  };
  assert.deepEqual(await Promise.all([saver.save(5, send), saver.save(5, send)]), [{ revision: 6 }, { revision: 7 }]);
  assert.deepEqual(await saver.save(6, send), { revision: 8 });
  ++revision; // somebody else
  await assert.rejects(saver.save(5, send), /stale: 8, not 9/);
  assert.deepEqual(await saver.save(9, send), { revision: 10 });
});
