// The head of every page: what it is, its tools, and the bell.
import type { ComponentChildren } from 'preact';
import { unread } from '../inbox/store';
import { Icon } from '../parts/icons';
import { hrefOf } from '../route';
import { Connection } from './connection_view';

export function Head({ title, children }: { title: string; children?: ComponentChildren }) {
  const count = unread.value;
  return (
    <header class="head">
      <h1>{title}</h1>
      <div class="tools">{children}</div>
      <Connection />
      <a class={`bell${count > 0 ? ' rings' : ''}`} href={hrefOf('inbox', null, { show: 'unread' })} aria-label={`Bell: ${count === 0 ? 'nothing unread' : `${count} unread`}`}>
        <Icon name="bell" />
        {count > 0 && <span class="badge" aria-hidden="true">{count > 999 ? '999+' : count}</span>}
      </a>
    </header>
  );
}

export function Search({ label, value, onInput }: { label: string; value: string; onInput: (text: string) => void }) {
  return (
    <label class="search">
      <Icon name="search" />
      <input type="search" aria-label={label} placeholder={label} value={value} autocomplete="off" spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={(event) => { if (event.key === 'Escape') event.currentTarget.blur(); }} />
      <kbd aria-hidden="true">/</kbd>
    </label>
  );
}

export interface Choice { value: string; label: string; count?: number }

export function Choices({ label, choices, value, onChoose }: { label: string; choices: Choice[]; value: string; onChoose: (value: string) => void }) {
  return (
    <div class="choices" role="group" aria-label={label}>
      {choices.map((choice) => (
        <button key={choice.value} type="button" aria-pressed={choice.value === value} onClick={() => onChoose(choice.value)}>
          {choice.label}{choice.count !== undefined && <small>{choice.count}</small>}
        </button>
      ))}
    </div>
  );
}
