import { systemClock } from '@tektite/meta';
import { expect, it } from 'vitest';
import { LiveView } from './run/view/live-view.ts';
import { terminalText } from './terminal-text.ts';

const esc = '\u001b';

it.each([
  ['plain text', 'Hello, wörld ✓\tand\nmore', 'Hello, wörld ✓\tand\nmore'],
  ['colours, which end with the text', `${esc}[1;31mred`, `${esc}[1;31mred${esc}[0m`],
  ['colours that end themselves', `${esc}[32mok${esc}[0m`, `${esc}[32mok${esc}[0m`],
  ['a title', `${esc}]0;root@prod\u0007`, '\\x1b]0;root@prod\\x07'],
  ['the cursor', `${esc}[2A${esc}[2Kfake`, '\\x1b[2A\\x1b[2Kfake'],
  ['what is before it in the line', 'failed\rok', 'failed\\x0dok'],
  ['lines that end as those of others', 'one\r\ntwo\r', 'one\ntwo'],
  ['the same in one character', '\u009b2J\u009d0;x\u009c', '\\x9b2J\\x9d0;x\\x9c'],
])('shows %s', (_what, text, shown) => {
  expect(terminalText(text)).toBe(shown);
});

it('is what becomes of logs where a terminal is', () => {
  let written = '';
  const view = new LiveView({ write: (text) => (written += text) }, systemClock);
  view.log({ run: 'r', tasks: ['t'], step: 's' }, `${esc}]52;c;cm0gLXJmIH4K\u0007 ${esc}[1Adone`);
  view[Symbol.dispose]();
  expect(written).toContain('\\x1b]52;c;cm0gLXJmIH4K\\x07 \\x1b[1Adone');
});
