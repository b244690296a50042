import { refusal, signIn } from '../access';
import { theme } from './theme';

export function SignIn() {
  void theme.value;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const given = String(new FormData(event.currentTarget as HTMLFormElement).get('token') ?? '').trim();
    if (given) signIn(given);
  };
  return (
    <main class="sign-in">
      <form onSubmit={submit}>
        <img src="/icon.svg" alt="" width="56" height="56" />
        <h1>Belfry</h1>
        {refusal.value && <p class="trouble" id="refusal" role="alert">{refusal.value}</p>}
        <p>Run <code>belfry open</code> on the machine where the daemon runs: it opens this page with a link that works once.</p>
        <label>or an access token
          <input name="token" type="password" autocomplete="off" placeholder="bf_…" autofocus aria-describedby={refusal.value ? 'refusal' : undefined} />
        </label>
        <button type="submit" class="primary">Open</button>
      </form>
    </main>
  );
}
