// One device: whether it is there, what is behind, and the way to be rid of it.
import { useState } from 'preact/hooks';
import type { Peer } from 'belfry-client/wire';
import { belfry } from '../access';
import { FormDialog } from '../parts/form_dialog';
import { seen } from '../parts/seen';
import { moment, wallTime } from '../parts/time';
import { STANDINGS, behindWords, shortId, standingOf } from './words';

const When = ({ at }: { at: string }) => <time dateTime={at} title={moment(at)}>{wallTime(at)}</time>;

export function PeerView({ peer, again, tell }: { peer: Peer; again: () => void; tell: (news: string) => void }) {
  const [isRevoking, setRevoking] = useState(false);
  const standing = standingOf(peer);
  const name = seen(peer.name) || shortId(peer.id);
  const behind = behindWords(peer);
  const revoke = async () => {
    await belfry().revokePeer(peer.id);
    tell(`${name} is revoked.`);
    again();
  };
  return (
    <li class={`device ${standing}`}>
      <div>
        <h3>{name} <code>{shortId(peer.id)}</code></h3>
        <p class="facts"><span class={`state link-${standing}`}><i aria-hidden="true" />{STANDINGS[standing]}</span>
          {standing === 'connected' && peer.connected_since && <span>since <When at={peer.connected_since} /></span>}
          {standing === 'away' && <span>last here <When at={peer.last_seen_at!} /></span>}
          {peer.revoked_at ? <span>since <When at={peer.revoked_at} /></span> : <span>{peer.address ? <>is called at <code>{seen(peer.address)}</code></> : 'calls this device'}</span>}</p>
        {standing !== 'revoked' && (behind.length > 0 ? behind.map((one) => <p key={one} class="behind">{one}</p>) : <p class="good">Nothing is behind.</p>)}
        {standing !== 'revoked' && peer.last_error && <p class="bad said">Last error: {seen(peer.last_error)}</p>}
      </div>
      {standing !== 'revoked' && <div><button type="button" class="danger" aria-label={`Revoke ${name}`} onClick={() => setRevoking(true)}>Revoke</button></div>}
      {isRevoking && (
        <FormDialog title={`Revoke “${name}”?`} deed="Revoke it" leave="Keep it" isDanger send={revoke} onClose={() => setRevoking(false)}>
          <p>It is told nothing any more, and not listened to. What it told stays here, and what it was told it keeps. Other devices go on with it until it is revoked there, too.</p>
        </FormDialog>
      )}
    </li>
  );
}
