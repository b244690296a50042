import { useState } from 'preact/hooks';
import { Clash } from '../journal/edit_view';
import { Dot, NewName } from '../journal/names';
import type { Label } from '../journal/records';
import type { Edit } from '../journal/use_edit';
import { Icon } from '../parts/icons';
import { seen } from '../parts/seen';

export function Labels({ edit, labels }: { edit: Edit<string[]>; labels: Label[] }) {
  const [isMaking, setMaking] = useState(false);
  const nameOf = (id: string) => labels.find((one) => one.id === id)?.name ?? id;
  const free = labels.filter((one) => !edit.shown.includes(one.id));
  const add = (id: string) => { if (id) edit.commit([...edit.shown, id]); };
  return (
    <div class="labels" role="group" aria-label="Labels">
      {edit.shown.map((id) => (
        <span key={id} class="label-chip"><Dot colour={labels.find((one) => one.id === id)?.color} />{seen(nameOf(id))}
          <button type="button" class="plain" aria-label={`Take off ${nameOf(id)}`} onClick={() => edit.commit(edit.shown.filter((one) => one !== id))}><Icon name="close" /></button></span>
      ))}
      {free.length > 0 && (
        <select aria-label="Add a label" value="" onChange={(event) => add(event.currentTarget.value)}>
          <option value="">Add a label</option>
          {free.map((one) => <option key={one.id} value={one.id}>{seen(one.name)}</option>)}
        </select>
      )}
      <button type="button" class="link" onClick={() => setMaking(true)}>New label</button>
      <Clash edit={edit} words={(ids) => ids.map(nameOf).join(', ')} />
      {isMaking && <NewName kind="label" onClose={() => setMaking(false)} onMade={add} />}
    </div>
  );
}
