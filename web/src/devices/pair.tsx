// Two devices get to know each other: one shows a code, on the other it is typed.
import { useEffect, useState } from 'preact/hooks';
import type { PairingCode, Peer } from 'belfry-client/wire';
import { belfry, words } from '../access';
import { Dialog } from '../parts/dialog';
import { field } from '../parts/field';
import { FormDialog } from '../parts/form_dialog';
import { Trouble, Until } from '../parts/marks';
import { seen } from '../parts/seen';
import { useReading } from '../parts/use_reading';

const LOOK_MS = 1000;
const FIELDS = [
  field('code', 'Code', { isRequired: true, hint: 'As the other device shows it, such as K7QF-92MX-4TRA' }),
  field('at', 'Its address', { isRequired: true, hint: 'HOST:PORT where it listens for other devices' }),
  field('name', 'What it is called here', { hint: 'As it calls itself, unless told' }),
];

interface Props { onDone: (news: string) => void; onClose: () => void }

export function TypeCode({ onDone, onClose }: Props) {
  const send = async ({ code, at, name }: Record<string, any>) => {
    const peer = await belfry().pair(code, at, name ? { name } : {});
    onDone(`Paired with ${seen(peer.name)}.`);
  };
  return (
    <FormDialog title="Type a code" deed="Pair them" fields={FIELDS} send={send} onClose={onClose}>
      <p>On the other device, <em>Show a code</em> or <code>belfry peer pair</code>. From then on both tell each other all agents, what they remember, and the journal.</p>
    </FormDialog>
  );
}

/** Closes by itself when somebody has typed it. */
export function ShowCode({ known, onDone, onClose }: Props & { known: Peer[] }) {
  const [code, setCode] = useState<PairingCode | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [before] = useState(() => new Set(known.filter((one) => !one.revoked_at).map(({ id }) => id)));
  const { value } = useReading(() => belfry().peers(), [], LOOK_MS);
  const ask = () => {
    setTrouble(null);
    belfry().beginPairing().then(setCode, (failure) => setTrouble(words(failure)));
  };
  useEffect(ask, []);
  const come = value?.data.find((one) => !one.revoked_at && !before.has(one.id));
  useEffect(() => {
    if (!come) return;
    onDone(`Paired with ${seen(come.name)}.`);
    onClose();
  }, [come?.id]);
  return (
    <Dialog title="Show a code" onClose={onClose}>
      {trouble && <Trouble text={trouble} retry={ask} />}
      {!code && !trouble && <p class="reading">Asking…</p>}
      {code && (
        <div class="pairing">
          <p class="pairing-code" aria-label="The code"><code>{code.code}</code></p>
          <p>Type it on the other device, with the address <code>{seen(code.address)}</code>{/^(0\.0\.0\.0|\[::\]):/.test(code.address) && ' (put in the address by which it reaches this device)'}.</p>
          <p class="quiet">It is good for one device, ends <Until at={code.expires_at} />, and after three wrong tries. This closes when it was used.</p>
        </div>
      )}
      <p class="actions"><button type="button" onClick={onClose}>Close it</button></p>
    </Dialog>
  );
}
