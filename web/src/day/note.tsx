import { EditText } from '../journal/edit_view';
import { useEdit } from '../journal/use_edit';
import type { Part, Plan } from './use_plan';

export function DayNote({ plan, part }: { plan: Plan; part: Part }) {
  const note = useEdit(part.note ?? '', plan.revision, (value, seen) => plan.save(() => ({ note: value || null }), seen));
  return <section aria-label="Note of the day"><EditText label="Note" edit={note} placeholder="What this day is for" /></section>;
}
