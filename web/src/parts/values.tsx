// What somebody's JSON says, by its names: a person reads words first.
import { Json } from './marks';
import { seen } from './seen';

const isDeep = (value: unknown) => typeof value === 'object' && value !== null;

/** The first level is words; what lies deeper stays JSON, in a line where it is small. */
export function Values({ value }: { value: unknown }) {
  if (!isDeep(value) || Array.isArray(value) || Object.keys(value as object).length === 0) return <Json value={value} />;
  return (
    <dl class="values">
      {Object.entries(value as object).map(([name, one]) => <div key={name}><dt>{seen(name)}</dt><dd><One value={one} /></dd></div>)}
    </dl>
  );
}

function One({ value }: { value: unknown }) {
  if (value === '') return <span class="quiet">empty</span>;
  if (!isDeep(value)) return <span class="said">{seen(String(value))}</span>;
  const isSmall = Object.values(value as object).every((one) => !isDeep(one)) && JSON.stringify(value).length < 80;
  return isSmall ? <code>{seen(JSON.stringify(value))}</code> : <Json value={value} />;
}
