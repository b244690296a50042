// @ts-nocheck: the types of Node are not part of the app.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_STRETCH, joined, lengthened, readEnd, readTree, renewed } from '../src/conversation/pages';
import { isBranched, rowsOf } from '../src/conversation/tree';

const message = (ordinal) => ({ id: `m${ordinal}`, ordinal, role: 'user', content: `word ${ordinal}` });
const node = (id, parent_id, ordinals, system = [`${id}-alert`]) => ({ id, parent_id, messages: ordinals.map(message), system_messages: system.map((one) => ({ id: one, ordinal: 0 })) });
const range = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const brief = (nodes) => nodes.map((one) => `${one.id}:${one.messages.map((said) => said.ordinal).join(',')}`);

/** Answers as the daemon does (src/store/history_reading.cpp), with messages counted where it counts bytes. */
class Daemon {
  asked = [];
  constructor(nodes, { limit = 60, most = 4 } = {}) { Object.assign(this, { nodes, limit, most }); }

  path = async (place) => {
    const way = [];
    for (let at = place?.split('.')[0] ?? this.nodes.at(-1).id; at !== null; at = way.at(-1).parent_id) way.push(this.nodes.find((one) => one.id === at));
    return this.page('up', way, place);
  };

  tree = async (place) => {
    const [id, ordinal] = place?.split('.') ?? [];
    return this.page('onwards', this.nodes.slice(this.nodes.findIndex((one) => one.id === id) + (ordinal ? 0 : 1)), place);
  };

  page(direction, way, place) {
    this.asked.push(place);
    const isUp = direction === 'up';
    const [, ordinal] = place?.split('.') ?? [];
    const [first, ...others] = way;
    const rest = first.messages.filter((one) => !ordinal || (isUp ? one.ordinal < ordinal : one.ordinal > ordinal));
    const held = isUp ? rest.slice(-this.most) : rest.slice(0, this.most);
    const data = [{ ...first, messages: held }];
    if (held.length < rest.length) return { data, next: `${first.id}.${(isUp ? held[0] : held.at(-1)).ordinal}`, has_more: true };
    let count = held.length;
    for (const one of others) {
      count += one.messages.length;
      if (data.length === this.limit || count > this.most) break;
      data.push(one);
    }
    const after = others[data.length - 1];
    const next = after ? (isUp ? after.id : data.at(-1).id) : null;
    return { data: isUp ? data.reverse() : data, next, has_more: next !== null };
  }

  grow(id, ordinals) { this.nodes = this.nodes.map((one) => (one.id === id ? { ...one, messages: [...one.messages, ...ordinals.map(message)] } : one)); }
}

/** As the app goes about it: the end is read at each news, what was before when somebody asks for it. */
class Reader {
  path = NO_STRETCH;
  isKept = false;
  constructor(daemon) { this.daemon = daemon; }
  kept = () => (this.isKept ? this.path : NO_STRETCH);
  async news() { const end = await readEnd(this.daemon.path, this.kept); this.path = renewed(this.kept(), end) ?? end; return brief(this.path.nodes); }
  async earlier() { this.isKept = true; this.path = lengthened(await this.daemon.path(this.path.next), this.path); return brief(this.path.nodes); }
}

const large = () => new Daemon([node('a', null, [1, 2]), node('b', 'a', range(3, 12)), node('c', 'b', [13])]);

test('parts of a node are one node: their messages in order, its system messages once', () => {
  const parts = [node('a', null, [1]), node('b', 'a', [2, 3]), node('b', 'a', [4]), node('b', 'a', [5]), node('c', 'b', [])];
  const nodes = joined(parts);
  assert.deepEqual(brief(nodes), ['a:1', 'b:2,3,4,5', 'c:']);
  assert.deepEqual(nodes[1].system_messages.map((one) => one.id), ['b-alert']);
  assert.deepEqual(parts[1].messages.length, 2, 'what was given stays as it is');
  assert.deepEqual(joined([]), []);
});

test('a tree read in parts has each node, and each row, once and is not branched', async () => {
  const daemon = large();
  const tree = await readTree(daemon.tree, []);
  assert.deepEqual(daemon.asked, [null, 'a', 'b.6', 'b.10']);
  assert.deepEqual(brief(tree), brief(daemon.nodes));
  assert.deepEqual(rowsOf(tree).map((row) => [row.node.id, row.depth, row.isFork]), [['a', 0, false], ['b', 0, false], ['c', 0, false]]);
  assert.equal(isBranched(tree), false);
  assert.equal(isBranched([...tree, node('d', 'b', [14])]), true);
  assert.equal(isBranched([node('a', null, []), node('b', null, [])]), false, 'roots are no branches');
});

test('of a tree that has grown only the last node and the new ones are read', async () => {
  const daemon = large();
  const known = await readTree(daemon.tree, []);
  daemon.grow('c', [14, 15]);
  daemon.nodes.push(node('d', 'b', range(16, 21)));
  daemon.asked = [];
  assert.deepEqual(brief(await readTree(daemon.tree, known)), brief(daemon.nodes));
  assert.deepEqual(daemon.asked, ['b', 'c', 'd.19']);
  const other = new Daemon([node('x', null, [1]), node('y', 'x', [2])]);
  assert.deepEqual(brief(await readTree(other.tree, known)), ['x:1', 'y:2'], 'a session of the same name that was made anew');
});

test('a path whose node comes in parts is put together from its end', async () => {
  const reader = new Reader(large());
  assert.deepEqual(await reader.news(), ['c:13']);
  assert.deepEqual(await reader.earlier(), ['b:9,10,11,12', 'c:13']);
  assert.deepEqual(await reader.earlier(), ['b:5,6,7,8,9,10,11,12', 'c:13']);
  assert.deepEqual(await reader.earlier(), ['a:1,2', 'b:3,4,5,6,7,8,9,10,11,12', 'c:13']);
  assert.equal(reader.path.next, null);
});

test('news in a node of which earlier parts are shown leaves no hole', async () => {
  const daemon = new Daemon([node('a', null, [1, 2]), node('b', 'a', range(3, 12))]);
  const reader = new Reader(daemon);
  assert.deepEqual(await reader.news(), ['b:9,10,11,12']);
  assert.deepEqual(await reader.earlier(), ['b:5,6,7,8,9,10,11,12']);
  assert.deepEqual(await reader.news(), ['b:5,6,7,8,9,10,11,12'], 'nothing new');
  daemon.grow('b', [13, 14]);
  assert.deepEqual(await reader.news(), ['b:5,6,7,8,9,10,11,12,13,14']);
  daemon.grow('b', range(15, 20));
  assert.deepEqual(await reader.news(), ['b:5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20'], 'more than one answer holds');
  daemon.nodes.push(node('c', 'b', [21]));
  assert.deepEqual(await reader.news(), ['b:5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20', 'c:21']);
  assert.deepEqual(await reader.earlier(), brief(daemon.nodes));
});

test('a path that grows after somebody asked for what was before leaves no hole', async () => {
  const daemon = new Daemon(range(1, 9).map((i) => node(`n${i}`, i > 1 ? `n${i - 1}` : null, [i])), { limit: 3 });
  const reader = new Reader(daemon);
  assert.deepEqual(await reader.news(), ['n7:7', 'n8:8', 'n9:9']);
  await reader.earlier();
  for (const i of [10, 11]) daemon.nodes.push(node(`n${i}`, `n${i - 1}`, [i]));
  assert.deepEqual(await reader.news(), brief(daemon.nodes.slice(3)));
  for (const i of range(12, 17)) daemon.nodes.push(node(`n${i}`, `n${i - 1}`, [i]));
  assert.deepEqual(await reader.news(), brief(daemon.nodes.slice(3)), 'by more than a page');
  assert.deepEqual(await reader.earlier(), brief(daemon.nodes));
});

test('where the end has run far away it is shown alone, and what was before can be asked for', async () => {
  const daemon = new Daemon(range(1, 9).map((i) => node(`n${i}`, i > 1 ? `n${i - 1}` : null, [i])), { limit: 3 });
  const reader = new Reader(daemon);
  await reader.news();
  await reader.earlier();
  for (const i of range(10, 60)) daemon.nodes.push(node(`n${i}`, `n${i - 1}`, [i]));
  assert.deepEqual(await reader.news(), brief(daemon.nodes.slice(-15)));
  assert.deepEqual(await reader.earlier(), brief(daemon.nodes.slice(-18)));
});

test('of another branch what it shares stays, the rest goes', async () => {
  const daemon = new Daemon(range(1, 6).map((i) => node(`n${i}`, i > 1 ? `n${i - 1}` : null, [i])), { limit: 2 });
  const reader = new Reader(daemon);
  await reader.news();
  await reader.earlier();
  daemon.nodes.push(node('other', 'n4', [7]));
  assert.deepEqual(await reader.news(), ['n3:3', 'n4:4', 'other:7']);
});

test('an end that holds all of the first node shown says itself what lies before', () => {
  const shown = { nodes: [node('b', 'a', [9, 10])], next: 'b.9' };
  const end = { nodes: [node('b', 'a', [8, 9, 10]), node('c', 'b', [11])], next: 'a' };
  assert.deepEqual(renewed(shown, end), end);
  assert.deepEqual(renewed(shown, { ...end, next: null }), { ...end, next: null });
});
