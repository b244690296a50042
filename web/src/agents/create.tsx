import { belfry } from '../access';
import { choicesOf, field } from '../parts/field';
import { FormDialog } from '../parts/form_dialog';
import { MODES } from './words';

const FIELDS = [
  field('id', 'Id', { isRequired: true, hint: 'One agent has it, for good: fixer' }),
  field('display_name', 'Name', { hint: 'What people call it' }),
  field('kind', 'Kind', { hint: 'What it is: build_fixer' }),
  field('mode', 'Mode', { type: 'choice', isRequired: true, preset: 'hybrid', choices: choicesOf(Object.fromEntries(Object.entries(MODES).map(([name, words]) => [name, `${name}: ${words}`]))) }),
];

export function CreateDialog({ onClose, onMade }: { onClose: () => void; onMade: (id: string) => void }) {
  const send = async (content: Record<string, any>) => { onMade((await belfry().createAgent(content as { id: string })).id); };
  return (
    <FormDialog title="New agent" deed="Make it" fields={FIELDS} send={send} onClose={onClose}>
      <p class="quiet">A program does its work: <code>belfry work --agent ID -- COMMAND</code></p>
    </FormDialog>
  );
}
