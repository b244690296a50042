// What the person has written, on its way to the agent: with receipts, and with words while the line is down.
import { effect, signal } from '@preact/signals';
import { FAILED, RETRYING, Sender } from 'belfry-client';
import { fieldOf, token, words } from '../access';

export interface Sending {
  id: string;
  session: string;
  text: string;
  state: 'sending' | 'retrying' | 'received' | 'failed';
  note: string;
  /** What is wrong with the words themselves: sending them again would not help. */
  fault: string | null;
  /** The message in the conversation, once there is a receipt. */
  message: string | null;
}

export const outbox = signal<Sending[]>([]);

const change = (id: string, by: Partial<Sending>) => { outbox.value = outbox.value.map((one) => (one.id === id ? { ...one, ...by } : one)); };

let sender: Sender | null = null;
effect(() => {
  sender?.close();
  sender = token.value ? new Sender(location.origin.replace(/^http/, 'ws'), { token: token.value, onFeedback: feedback }) : null;
});

function feedback(said: string, message: { message_id: string }) {
  if (said === RETRYING) change(message.message_id, { state: 'retrying', note: said });
  else if (said === FAILED) change(message.message_id, { state: 'failed', note: said });
}

function newId(): string {
  const hex = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

async function deliver({ id, session, text }: Sending) {
  try {
    const receipt = await sender!.send(session, 'user_input', { text }, { messageId: id });
    change(id, { state: 'received', note: receipt.message, message: receipt.notification_id });
  } catch (failure) {
    const said = words(failure);
    change(id, { state: 'failed', fault: fieldOf(failure)?.startsWith('payload') ? said : null, note: said.startsWith(FAILED) ? FAILED : `${FAILED}: ${said}` });
  }
}

export function say(session: string, text: string) {
  const sending: Sending = { id: newId(), session, text, state: 'sending', note: 'Sending…', fault: null, message: null };
  outbox.value = [...outbox.value, sending];
  void deliver(sending);
}

/** Under the same id: if it did arrive, it is not taken twice. */
export function sayAgain(id: string) {
  const found = outbox.value.find((one) => one.id === id);
  if (!found) return;
  change(id, { state: 'sending', note: 'Sending…', fault: null });
  void deliver(found);
}

export function forgetSending(id: string) {
  outbox.value = outbox.value.filter((one) => one.id !== id);
}
