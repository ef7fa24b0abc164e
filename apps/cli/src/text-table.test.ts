import { expect, it } from 'vitest';
import { textTable } from './text-table.ts';

it('aligns columns by what a terminal shows, and marks empty cells', () => {
  const columns = [
    { heading: 'NAME', cell: ([name]: readonly string[]) => name ?? '' },
    { heading: 'STATE', cell: ([, state]: readonly string[]) => state ?? '' },
    { heading: 'NOTE', cell: ([, , note]: readonly string[]) => note ?? '' },
  ];
  const rows = [
    ['a', '\u001b[32mok\u001b[39m', ''],
    ['longer', 'failed', 'why'],
  ];
  expect(textTable(columns, rows)).toBe(
    'NAME     STATE    NOTE\na        \u001b[32mok\u001b[39m       -\nlonger   failed   why\n'.replace(
      '\u001b[39m ',
      '\u001b[39m\u001b[0m ',
    ),
  );
});
