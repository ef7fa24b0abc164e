import { useState } from 'preact/hooks';
import { chooseTheme, chosenTheme, type Theme } from '../theme.ts';

const themes: readonly Theme[] = ['auto', 'light', 'dark'];
const marks: Readonly<Record<Theme, string>> = { auto: '◐', light: '○', dark: '●' };

/** Changes the theme. */
export function ThemeButton() {
  const [theme, setTheme] = useState(chosenTheme);
  const change = () => {
    const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'auto';
    chooseTheme(next);
    setTheme(next);
  };
  return (
    <button type="button" class="quiet" onClick={change} title={`Theme: ${theme}`} aria-label={`Theme: ${theme}`}>
      {marks[theme]}
    </button>
  );
}
