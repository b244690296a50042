// Light, dark, or as the machine has it.
import { signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';
const KEPT_AS = 'belfry.theme';
const NEXT: Record<Theme, Theme> = { auto: 'light', light: 'dark', dark: 'auto' };

const kept = localStorage.getItem(KEPT_AS);
export const theme = signal<Theme>(kept === 'light' || kept === 'dark' ? kept : 'auto');

function apply(chosen: Theme) {
  document.documentElement.dataset.theme = chosen;
}

apply(theme.value);
window.addEventListener('storage', (event) => {
  if (event.key !== KEPT_AS) return;
  theme.value = (event.newValue as Theme | null) ?? 'auto';
  apply(theme.value);
});

export function nextTheme() {
  theme.value = NEXT[theme.value];
  localStorage.setItem(KEPT_AS, theme.value);
  apply(theme.value);
}
