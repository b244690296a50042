// One of many: what a list is narrowed to.
interface Props { label: string; all: string; choices: { value: string; label: string }[]; value: string; onChoose: (value: string) => void }

export function Select({ label, all, choices, value, onChoose }: Props) {
  return (
    <select class="narrow" aria-label={label} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      <option value="">{all}</option>
      {choices.map((one) => <option key={one.value} value={one.value}>{one.label}</option>)}
    </select>
  );
}
