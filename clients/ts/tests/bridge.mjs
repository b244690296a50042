// Lets another program use this client: one JSON object a line on standard input, and its results on standard output.
//   {"open":"client"|"sender","id":1,"args":[…]}             makes one
//   {"on":1,"id":2,"call":"pull","args":[…]}                 → {"id":2,"result":…} or {"id":2,"error":{…}}
//   {"on":1,"id":3,"follow":"followRun","args":[…]}          → {"id":3,"item":…}… and {"id":3,"result":null}; {"close":3} ends it
//   {"on":1,"id":4,"upload":7}, {"feed":4,"event":{…}}…, {"feed":4}   → its result
import { createInterface } from 'node:readline';
import { Client, Sender } from '../src/index.js';

const made = new Map();
const followed = new Map();
const fed = new Map();
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

function tell(id, promise) {
  promise.then((result) => say({ id, result: result ?? null }), ({ name, code, message, detail, field, reason, status, problem, data }) => {
    say({ id, error: { name, code, message, detail, field, reason, status, problem, data } });
  });
}

function open({ id, open: kind, args }) {
  const onFeedback = (words, message) => say({ id, feedback: words, payload: message.payload });
  made.set(id, kind === 'client' ? new Client(...args) : new Sender(args[0], { ...args[1], onFeedback }));
  say({ id, result: null });
}

async function follow({ id, on, follow: method, args }) {
  const following = await made.get(on)[method](...args);
  followed.set(id, following);
  for await (const item of following) say({ id, item });
}

function upload({ id, on, upload: run }) {
  const queue = [];
  let wake = () => {};
  fed.set(id, (event) => { queue.push(event); wake(); });
  async function* events() {
    for (;;) {
      while (queue.length === 0) await new Promise((resolve) => { wake = resolve; });
      const event = queue.shift();
      if (event === undefined) return;
      yield event;
    }
  }
  return made.get(on).uploadRun(run, events());
}

function surface() {
  const names = new Set();
  for (let one = Client.prototype; one !== Object.prototype; one = Object.getPrototypeOf(one)) {
    for (const name of Object.getOwnPropertyNames(one)) if (typeof Object.getOwnPropertyDescriptor(one, name).value === 'function') names.add(name);
  }
  return [...names];
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const order = JSON.parse(line);
  if (order.open) open(order);
  else if (order.call) tell(order.id, Promise.resolve().then(() => made.get(order.on)[order.call](...order.args)));
  else if (order.follow) tell(order.id, follow(order));
  else if (order.upload) tell(order.id, upload(order));
  else if (order.feed) fed.get(order.feed)(order.event);
  else if (order.close) followed.get(order.close)?.close();
  else if (order.surface) say({ id: order.id, result: surface() });
}).on('close', () => process.exit(0));
