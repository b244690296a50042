// What the tests of the web app share: a daemon of the real binary in a folder of its own, which serves the app, and a browser.
//   BELFRY      the binary; build-test/belfry unless told
//   CHROMIUM    /usr/bin/chromium unless told
//   SCREENSHOTS where pictures are kept; build-test/web unless told
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { Operator } from '../../clients/ts/src/index.js';
import { layCable } from './cable.mjs';

const root = resolve(fileURLToPath(new URL('../..', import.meta.url)));
export const binary = process.env.BELFRY ?? join(root, 'build-test/belfry');
const browserPath = process.env.CHROMIUM ?? '/usr/bin/chromium';
export const pictures = process.env.SCREENSHOTS ?? join(root, 'build-test/web');

/** Why the tests cannot run here; null: they can. */
export function missing() {
  if (!existsSync(binary)) return `the program ${binary}`;
  if (!existsSync(browserPath)) return `the browser ${browserPath}`;
  return null;
}

const patienceMs = 60000;  // that anything may take on a busy machine before it counts as broken

export async function eventually(what, condition, limitMs = patienceMs) {
  for (const end = Date.now() + limitMs; ;) {
    const result = await condition();
    if (result) return result;
    if (Date.now() > end) throw new Error(`in ${limitMs} ms this did not become true: ${what}`);
    await new Promise((done) => { setTimeout(done, 25); });
  }
}

/** Makes the assertion until it holds: a page shows what it was told in its own time. The last failure is the one that is told. */
export async function holds(assertion, limitMs = patienceMs) {
  for (const end = Date.now() + limitMs; ;) {
    try {
      await assertion();
      return;
    } catch (failure) {
      if (failure.code !== 'ERR_ASSERTION' || Date.now() > end) throw failure;
    }
    await new Promise((done) => { setTimeout(done, 25); });
  }
}

/** What is shown is also what keys act on: that follows a frame later. */
export function painted(page) {
  return page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))); }));
}

export class Daemon {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'belfry-web-'));
    this.data = join(this.folder, 'data');
    this.subscribers = join(this.folder, 'subscribers');
    mkdirSync(this.subscribers);
    this.port = 0;
    this.flags = [];
    this.log = join(this.folder, 'log');
  }

  /** A restart keeps its port, as the daemon of a person does. */
  async start() {
    const begin = existsSync(this.log) ? readFileSync(this.log, 'utf8').length : 0;
    const out = openSync(this.log, 'a');
    const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(BELFRY|XDG_)/.test(name)));
    this.process = spawn(binary, ['serve', '--port', String(this.port), '--data', this.data, '--owner', 'ada', '--subscribers', this.subscribers, ...this.flags],
      { stdio: ['ignore', out, out], env: { ...environment, HOME: this.folder }, cwd: this.folder });
    this.port = await eventually('the daemon serves', () => {
      const said = readFileSync(this.log, 'utf8').slice(begin);
      if (this.process.exitCode !== null) throw new Error(`the daemon ended: ${said}`);
      return Number(/belfry serves.*?address=\S*?:(\d+)\s/.exec(said)?.[1] ?? 0);
    });
    this.url = `http://127.0.0.1:${this.port}`;
    this.token = readFileSync(join(this.data, 'admin.token'), 'utf8').trim();
    this.client = new Operator({ url: this.url, token: this.token });
    await eventually('it is ready', async () => (await fetch(`${this.url}/readyz`)).status === 200);
    return this;
  }

  async stop() {
    if (!this.process || this.process.exitCode !== null) return;
    const ended = new Promise((done) => { this.process.once('exit', done); });
    this.process.kill('SIGTERM');
    await ended;
  }

  async remove() {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A daemon, the app, a browser. `visit` opens a page that is signed in. */
export class House {
  async open() {
    this.daemon = await new Daemon().start();
    this.app = await layCable(() => this.daemon.port);
    this.browser = await chromium.launch({
      executablePath: browserPath,
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    });
    this.strangers = [];
    this.mistakes = [];
    this.context = await this.newContext();
    mkdirSync(pictures, { recursive: true });
    return this;
  }

  get client() { return this.daemon.client; }

  async newContext(options = {}) {
    const context = await this.browser.newContext({ viewport: { width: 1360, height: 860 }, ...options });
    context.setDefaultTimeout(patienceMs);
    context.on('page', (page) => this.watch(page));
    return context;
  }

  /** No request may go elsewhere, nothing may break the page's policy, and no script may fail. */
  watch(page) {
    page.on('request', (request) => { if (!request.url().startsWith(this.app.url) && !request.url().startsWith('data:')) this.strangers.push(request.url()); });
    page.on('pageerror', (error) => this.mistakes.push(String(error)));
    page.on('console', (message) => { if (/Content.Security.Policy|Refused to/i.test(message.text())) this.mistakes.push(message.text()); });
  }

  async visit(path = '#/inbox', context = this.context) {
    const page = await context.newPage();
    await page.goto(`${this.app.url}/#${this.daemon.token}`);
    await page.locator('.connection.live:visible').first().waitFor();
    await page.evaluate((hash) => { location.hash = hash; }, path);
    return page;
  }

  async picture(page, name) {
    await page.screenshot({ path: join(pictures, `${name}.png`) });
  }

  async close() {
    await this.browser?.close();
    this.app?.close();
    await this.daemon?.remove();
  }
}
