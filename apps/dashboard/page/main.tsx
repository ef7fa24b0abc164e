import '@preact/signals';
import { render } from 'preact';
import { AppProvider, createApp } from './app.ts';
import { Shell } from './components/shell.tsx';
import { showTheme } from './theme.ts';

const app = createApp();
const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
// The code is worthless after its first use, but has no business in the history.
if (code) history.replaceState(null, '', location.pathname + location.search);
void app.session.start(code);
showTheme();
const root = document.getElementById('page');
if (root)
  render(
    <AppProvider value={app}>
      <Shell />
    </AppProvider>,
    root,
  );
