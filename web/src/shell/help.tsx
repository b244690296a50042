import { signOut } from '../access';
import { me } from '../connection';
import { owner } from '../inbox/store';
import { journal } from '../journal/state';
import { Dialog } from '../parts/dialog';

const KEYS: [string, string][] = [
  ['j  k', 'down and up in a list'],
  ['Enter', 'open what the cursor is on'],
  ['Esc', 'back to the list, out of a field'],
  ['↑  ↓', 'in a stream that has the focus'],
  ['/', 'search'],
  ['e', 'inbox: dismiss'],
  ['d', 'inbox: done'],
  ['u', 'inbox: only unread, or all'],
  ['t', 'conversation: write to the agent'],
  ['g i', 'inbox'], ['g c', 'conversation'], ['g p', 'changes that are proposed'], ['g a', 'agents'], ['g w', 'wakes'], ['g t', 'timers'], ['g r', 'runs'], ['g l', 'ledger'], ['g s', 'subscribers'], ['g o', 'overview'], ['g v', 'devices'],
];
const OF_JOURNAL: [string, string][] = [['n', 'tasks and journal: a new one'], ['d', 'tasks: done'], ['↑  ↓', 'day plan: move a block'], ['g k', 'tasks'], ['g d', 'day plan'], ['g h', 'time'], ['g j', 'journal']];
const LAST: [string, string] = ['?', 'this'];

export function Help({ onClose }: { onClose: () => void }) {
  const found = me.value;
  const keys = [...KEYS, ...(journal.value?.enabled ? OF_JOURNAL : []), LAST];
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">{keys.map(([key, what]) => <div key={what}><dt>{key.split(/ +/).map((one) => <kbd key={one}>{one}</kbd>)}</dt><dd>{what}</dd></div>)}</dl>
      <footer class="dialog-foot">
        <p class="quiet">{found ? `belfry ${found.version}, ${found.role}` : 'belfry'}{owner.value ? `, inbox of ${owner.value}` : ''}</p>
        <button type="button" onClick={() => signOut('You have signed out on this browser.')}>Sign out</button>
      </footer>
    </Dialog>
  );
}
