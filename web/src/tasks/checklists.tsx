// The checklists of a task.
import { useRef, useState } from 'preact/hooks';
import { AddLine } from '../journal/add_line';
import { allOf, change, make, remove } from '../journal/calls';
import { Clash, EditLine, EditText } from '../journal/edit_view';
import type { Checklist, ChecklistItem, Task } from '../journal/records';
import { Saver } from '../journal/saver';
import { useDeed } from '../journal/use_deed';
import { useEdit } from '../journal/use_edit';
import { touch, useJournal } from '../journal/use_journal';
import { inOrder, movesOf } from '../journal/words';
import { FormDialog } from '../parts/form_dialog';
import { Icon } from '../parts/icons';
import { Trouble } from '../parts/marks';
import { field } from '../parts/field';

interface WithItems { list: Checklist; items: ChecklistItem[] }

async function read(taskId: string): Promise<WithItems[]> {
  const lists = inOrder(await allOf('checklist', { task: taskId }));
  return Promise.all(lists.map(async (list) => ({ list, items: inOrder(await allOf('checklist_item', { checklist: list.id })) })));
}

const after = (ordered: { position: number }[]) => (ordered.length === 0 ? 0 : ordered[ordered.length - 1]!.position + 1);

export function Checklists({ task }: { task: Task }) {
  const [isAdding, setAdding] = useState(false);
  const { value, trouble, again } = useJournal(() => read(task.id), [task.id]);
  const lists = value ?? [];
  const add = async ({ title }: Record<string, any>) => {
    await make('checklist', { task_id: task.id, title, position: after(lists.map((one) => one.list)) });
    touch();
  };
  return (
    <section aria-label="Checklists">
      <div class="section-head"><h3>Checklists</h3><button type="button" class="link" onClick={() => setAdding(true)}>Add a checklist</button></div>
      {trouble && <Trouble text={trouble} retry={again} />}
      {value && lists.length === 0 && <p class="quiet">None.</p>}
      {lists.map(({ list, items }) => <OneList key={list.id} list={list} items={items} />)}
      {isAdding && <FormDialog title="Add a checklist" deed="Add it" fields={[field('title', 'Title', { isRequired: true })]} send={add} onClose={() => setAdding(false)} />}
    </section>
  );
}

function OneList({ list, items }: WithItems) {
  const [isRemoving, setRemoving] = useState(false);
  const { trouble, act } = useDeed();
  const saver = useRef(new Saver<Checklist>()).current;
  const title = useEdit(list.title, list.revision, (value, seen) => saver.save(seen, (revision) => change('checklist', list.id, { title: value.trim(), revision })));
  const move = (from: number, to: number) => void act(async () => {
    try {
      for (const { one, position } of movesOf(items, from, to)) await change('checklist_item', one.id, { position, revision: one.revision });
    } finally {
      touch();
    }
  });
  const checked = items.filter((one) => one.checked).length;
  return (
    <div class="checklist" role="group" aria-label={list.title}>
      <div class="checklist-head">
        <EditLine label="Title of the checklist" edit={title} isBare />
        {items.length > 0 && <span class="quiet number">{checked} of {items.length}</span>}
        <button type="button" class="plain" aria-label={`Delete ${list.title}`} title="Delete" onClick={() => setRemoving(true)}><Icon name="close" /></button>
      </div>
      <ul>{items.map((item, at) => <Item key={item.id} item={item} up={at > 0 ? () => move(at, at - 1) : null} down={at < items.length - 1 ? () => move(at, at + 1) : null} />)}</ul>
      {trouble && <Trouble text={trouble} />}
      <AddLine label={`Add to ${list.title}`} placeholder="Add an item" add={(wanted) => make('checklist_item', { checklist_id: list.id, title: wanted, position: after(items) })} />
      {isRemoving && (
        <FormDialog title={`Delete “${list.title}”?`} deed="Delete it" isDanger send={() => remove('checklist', list.id).then(touch)} onClose={() => setRemoving(false)}>
          <p>Its items go with it. That cannot be taken back.</p>
        </FormDialog>
      )}
    </div>
  );
}

function Item({ item, up, down }: { item: ChecklistItem; up: (() => void) | null; down: (() => void) | null }) {
  const { isBusy, trouble, act } = useDeed();
  const saver = useRef(new Saver<ChecklistItem>()).current;
  const save = (patch: Partial<ChecklistItem>, seen: number) => saver.save(seen, (revision) => change('checklist_item', item.id, { ...patch, revision }));
  const checked = useEdit(item.checked, item.revision, (value, seen) => save({ checked: value }, seen));
  const title = useEdit(item.title, item.revision, (value, seen) => save({ title: value.trim() }, seen));
  return (
    <li class={checked.shown ? 'checked' : ''}>
      <input type="checkbox" aria-label={item.title} checked={checked.shown} onChange={(event) => checked.commit(event.currentTarget.checked)} />
      <div class="grow"><EditText label="Item" edit={title} isBare isLine /><Clash edit={checked} words={(value) => (value ? 'checked' : 'not checked')} />{trouble && <p class="fault" role="alert">{trouble}</p>}</div>
      <button type="button" class="plain" aria-label={`Move ${item.title} up`} title="Up" disabled={!up} onClick={up ?? undefined}><Icon name="up" /></button>
      <button type="button" class="plain" aria-label={`Move ${item.title} down`} title="Down" disabled={!down} onClick={down ?? undefined}><Icon name="down" /></button>
      <button type="button" class="plain" aria-label={`Delete ${item.title}`} title="Delete" disabled={isBusy} onClick={() => void act(() => remove('checklist_item', item.id).finally(touch))}><Icon name="close" /></button>
    </li>
  );
}
