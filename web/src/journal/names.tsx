// Categories and labels: what they are called, and new ones.
import { useRef } from 'preact/hooks';
import { belfry } from '../access';
import { field } from '../parts/field';
import { FormDialog } from '../parts/form_dialog';
import { seen } from '../parts/seen';
import { allOf, make } from './calls';
import type { Category, Label } from './records';
import { touch, useJournal } from './use_journal';
import { colourOf } from './words';

export interface Names { categories: Category[]; labels: Label[] }
const NOTHING: Names = { categories: [], labels: [] };
const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name, 'en');

async function read(): Promise<Names> {
  const [categories, labels] = await Promise.all([allOf('category'), allOf('label')]);
  return { categories: categories.sort(byName), labels: labels.sort(byName) };
}

export const useNames = (): Names => useJournal(read, [belfry()]).value ?? NOTHING;

export const categoryOf = (names: Names, id: string | undefined) => names.categories.find((one) => one.id === id);
export const optionsOf = (records: { id: string; name: string }[]) => records.map((one) => ({ value: one.id, label: one.name }));

/** The colour of something, beside its name. */
export function Dot({ colour }: { colour: string | null | undefined }) {
  return <i class="dot" aria-hidden="true" style={{ background: colourOf(colour) }} />;
}

export function CategoryMark({ names, id }: { names: Names; id: string }) {
  const found = categoryOf(names, id);
  return <span class="category"><Dot colour={found?.color} />{seen(found?.name ?? id)}</span>;
}

const NAME = field('name', 'Name', { isRequired: true });
const COLOURS = ['#3366cc', '#2e8b57', '#cc6633', '#6633aa', '#b02a20', '#80590f', '#2f8f9d'];
const ID = field('id', 'Id', { hint: 'What agents and programs call it, for good: gym' });

export function NewName({ kind, onClose, onMade }: { kind: 'category' | 'label'; onClose: () => void; onMade: (id: string) => void }) {
  const send = async (content: Record<string, any>) => {
    const made = await make(kind, content);
    touch();
    onMade(made.id);
  };
  const isCategory = kind === 'category';
  const colour = useRef(field('color', 'Colour', { type: 'colour', isRequired: true, preset: COLOURS[Math.floor(Math.random() * COLOURS.length)] })).current;
  return <FormDialog title={isCategory ? 'New category' : 'New label'} deed="Make it" fields={isCategory ? [NAME, ID, colour] : [NAME, colour]} send={send} onClose={onClose} />;
}
