import { virtualClock } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { cutLine, displayWidth } from './display-width.ts';
import { LiveArea } from './live-area.ts';

const esc = '\u001b';
const red = (text: string) => `${esc}[31m${text}${esc}[39m`;

describe('a line that is cut', () => {
  it('keeps its colours, and ends them', () => {
    expect(cutLine(red('abcdef'), 4)).toBe(`${esc}[31mabc…${esc}[0m`);
    expect(cutLine(red('abcd'), 4)).toBe(red('abcd'));
  });

  it('is measured in columns: colours and marks have none, wide characters two', () => {
    expect(displayWidth(`${red('ab')}e\u0301`)).toBe(3);
    expect(displayWidth('日本 🚀')).toBe(7);
    expect(cutLine('日本語', 4)).toBe('日…');
  });
});

describe('the live lines of a terminal', () => {
  it('are erased completely, also after the terminal became narrower', async () => {
    const clock = virtualClock();
    let written = '';
    const terminal = { columns: 40, rows: 10, write: (text: string) => (written += text) };
    const area = new LiveArea(terminal, clock, () => ['x'.repeat(30), 'y']);
    area.refreshSoon();
    await clock.advance(100);
    terminal.columns = 20;
    written = '';
    area[Symbol.dispose]();
    expect(written).toBe(`${esc}[1A${esc}[2K`.repeat(3));
  });
});
