// One timer: when it fires, in whose clocks, and the switch.
import { useEffect, useState } from 'preact/hooks';
import type { Timer } from 'belfry-client/wire';
import { belfry, words } from '../access';
import { FormDialog } from '../parts/form_dialog';
import { Trouble } from '../parts/marks';
import { seen } from '../parts/seen';
import { moment } from '../parts/time';
import { Values } from '../parts/values';
import { hrefOf } from '../route';
import { Firings } from './firings';
import { scheduleWords } from './words';

/** `of`: what its agent is called, where that is not said already. */
export function TimerItem({ timer, of, again, isFixed = false }: { timer: Timer; of?: string; again: () => void; isFixed?: boolean }) {
  const [isRemoving, setRemoving] = useState(false);
  const remove = async () => {
    await belfry().removeTimer(timer.agent_id, timer.id!);
    again();
  };
  return (
    <li class={timer.active ? '' : 'off'}>
      <div>
        <p class="timer-name"><strong>{seen(timer.name)}</strong>{of && <> wakes <a href={hrefOf('agents', timer.agent_id)}>{of}</a></>}</p>
        <p class="facts"><span>{scheduleWords(timer.schedule)}</span>{timer.zone && <span>{timer.zone}</span>}{timer.priority !== 0 && <span>priority {timer.priority}</span>}
          {timer.last_scheduled_at && <span>last {moment(timer.last_scheduled_at)}</span>}</p>
        {timer.fault && <Trouble text={`It rests: ${timer.fault}`} />}
        {timer.active ? <Firings next={timer.next} zone={timer.zone} /> : <p class="quiet">It is switched off.</p>}
        {Object.keys(timer.input).length > 0 && <Values value={timer.input} />}
      </div>
      {!isFixed && (
        <div class="timer-tools">
          <Switch timer={timer} again={again} />
          <button type="button" aria-label={`Remove ${timer.name}`} onClick={() => setRemoving(true)}>Remove</button>
        </div>
      )}
      {isRemoving && (
        <FormDialog title={`Remove “${timer.name}”?`} deed="Remove it" isDanger send={remove} onClose={() => setRemoving(false)}>
          <p>It wakes its agent no more. What waits already still runs.</p>
        </FormDialog>
      )}
    </li>
  );
}

function Switch({ timer, again }: { timer: Timer; again: () => void }) {
  const [wish, setWish] = useState<boolean | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const isOn = wish ?? timer.active;
  // A wish counts until the list says so, too.
  useEffect(() => { if (wish === timer.active) setWish(null); }, [wish, timer.active]);
  const flip = async () => {
    setWish(!isOn);
    setTrouble(null);
    try {
      await belfry().changeTimer(timer.agent_id, timer.id!, { active: !isOn });
      again();
    } catch (failure) {
      setTrouble(words(failure));
      setWish(null);
    }
  };
  return (
    <>
      <button type="button" role="switch" class="switch" aria-checked={isOn} aria-label={timer.name} onClick={() => void flip()}><i aria-hidden="true" /><span aria-hidden="true">{isOn ? 'On' : 'Off'}</span></button>
      {trouble && <Trouble text={trouble} />}
    </>
  );
}
