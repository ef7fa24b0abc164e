/** Light, dark, or as the system has it. */
export type Theme = 'auto' | 'light' | 'dark';

const key = 'tektite-theme';
const system = matchMedia('(prefers-color-scheme: dark)');

export function chosenTheme(): Theme {
  const text = localStorage.getItem(key);
  return text === 'light' || text === 'dark' ? text : 'auto';
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(key, theme);
  apply();
}

/** Shows the chosen theme, and follows the system where it is to. */
export function showTheme(): void {
  system.addEventListener('change', apply);
  apply();
}

function apply(): void {
  const theme = chosenTheme();
  document.documentElement.dataset.theme = theme === 'auto' ? (system.matches ? 'dark' : 'light') : theme;
}
