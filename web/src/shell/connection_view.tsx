import { connection } from '../connection';

export function Connection() {
  const { state, text } = connection.value;
  return <p class={`connection ${state}`} role="status" aria-live="polite"><i aria-hidden="true" /><span>{text}</span></p>;
}
