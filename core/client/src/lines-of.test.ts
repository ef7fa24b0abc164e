import { expect, it } from 'vitest';
import { linesOf } from './lines-of.ts';

it.each([
  [['a\nb\n'], ['a', 'b']],
  [
    ['a', 'b\nc', '\n', 'd'],
    ['ab', 'c', 'd'],
  ],
  [['windows\r\n\r\n'], ['windows', '']],
  [[], []],
])('cuts %j into lines', async (chunks, lines) => {
  async function* bytes() {
    for (const chunk of chunks) yield new TextEncoder().encode(chunk);
  }
  expect(await collect(linesOf(bytes()))).toEqual(lines);
});

it('keeps characters whole that arrive in pieces', async () => {
  async function* bytes() {
    for (const byte of Buffer.from('ü€😀\n')) yield Buffer.of(byte);
  }
  expect(await collect(linesOf(bytes()))).toEqual(['ü€😀']);
});

async function collect(lines: AsyncIterable<string>): Promise<string[]> {
  const result: string[] = [];
  for await (const line of lines) result.push(line);
  return result;
}
