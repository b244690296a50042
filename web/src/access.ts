// Who we are to the daemon: a token, which comes by a one-time link or by hand and is kept for all tabs.
import { effect, signal } from '@preact/signals';
import { BelfryError, Operator, RpcError } from 'belfry-client';

const KEPT_AS = 'belfry.token';

export const token = signal(localStorage.getItem(KEPT_AS) ?? '');
/** Why the sign-in page is shown; null where there is nothing to say. */
export const refusal = signal<string | null>(null);

let made = new Operator({ token: token.value });
effect(() => { made = new Operator({ token: token.value }); });

/** The client of the present token. */
export const belfry = () => made;

export function signIn(given: string) {
  refusal.value = null;
  localStorage.setItem(KEPT_AS, given);
  token.value = given;
}

export function signOut(why: string | null = null) {
  localStorage.removeItem(KEPT_AS);
  refusal.value = why;
  token.value = '';
}

/** The address may bring a token, or the code of a one-time link: neither stays in it. */
export async function enter() {
  window.addEventListener('storage', (event) => {
    if (event.key === KEPT_AS) token.value = event.newValue ?? '';
  });
  const brought = location.hash.slice(1);
  if (!brought.startsWith('bf_') && !brought.startsWith('link=')) return;
  history.replaceState(null, '', `${location.pathname}#/inbox`);
  window.dispatchEvent(new HashChangeEvent('hashchange'));
  if (brought.startsWith('bf_')) return signIn(brought);
  try {
    signIn((await new Operator().redeemLink(decodeURIComponent(brought.slice('link='.length)))).token);
  } catch (failure) {
    if (!token.value) refusal.value = `This link does not open Belfry any more: ${words(failure)}`;
  }
}

/** A refusal for a person to read. */
export function words(failure: unknown): string {
  if (failure instanceof BelfryError || failure instanceof RpcError) return failure.detail;
  return failure instanceof Error ? failure.message : String(failure);
}

/** What a refusal is about, where it names a field: `content.amount`. */
export function fieldOf(failure: unknown): string | null {
  if (failure instanceof BelfryError) return failure.field;
  return failure instanceof RpcError ? failure.data?.field ?? null : null;
}

export const isNoAccess = (failure: unknown) => failure instanceof BelfryError && failure.code === 'unauthenticated';
