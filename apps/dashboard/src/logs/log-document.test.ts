import { describe, expect, it } from 'vitest';
import { parseAnsi, plainText } from './ansi.ts';
import { LogDocument, type LogRow } from './log-document.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const time = '2026-01-01T00:00:00.123456789Z';
const texts = (rows: readonly LogRow[]) =>
  rows.map((row) =>
    row.kind === 'head' ? `== ${row.section} ${row.lines}` : row.spans.map(({ text }) => text).join(''),
  );

function documentOf(...sections: (readonly [id: string, text: string])[]): LogDocument {
  const document = new LogDocument();
  for (const [id, text] of sections) {
    document.open(id);
    document.append(id, bytes(text));
    document.end(id);
  }
  return document;
}

describe('colours', () => {
  it('become classes', () => {
    expect(
      parseAnsi('\u001b[1;32mok\u001b[0m \u001b[91mbad\u001b[39m \u001b[38;5;196mred\u001b[48;2;0;0;255mblue'),
    ).toEqual([
      { text: 'ok', style: 'bold fg2' },
      { text: ' ', style: '' },
      { text: 'bad', style: 'fg9' },
      { text: ' ', style: '' },
      { text: 'red', style: 'fg9' },
      { text: 'blue', style: 'fg9 bg12' },
    ]);
  });

  it.each([
    ['links and titles', '\u001b]8;;http://evil.example\u0007text\u001b]8;;\u0007', 'text'],
    ['movements of the cursor', '\u001b[2K\u001b[1Gdone', 'done'],
    ['lines that overwrite themselves', '10%\r50%\r100%', '100%'],
    ['marks of direction', 'a\u202eb', 'a<202E>b'],
    ['other controls', 'a\u0000b', 'a<0000>b'],
    ['markup', '<script>alert(1)</script>', '<script>alert(1)</script>'],
  ])('have no effect in %s', (_, line, text) => {
    expect(
      parseAnsi(line)
        .map((span) => span.text)
        .join(''),
    ).toBe(text);
    expect(plainText(line)).toBe(text);
  });
});

describe('a document of logs', () => {
  it('puts sections one after the other, with times apart', () => {
    const document = documentOf(['build', `${time} a\n${time} b\n`], ['test', 'plain\n']);
    expect(document.rowCount).toBe(5);
    expect(texts(document.rows(0, 9))).toEqual(['== build 2', 'a', 'b', '== test 1', 'plain']);
    expect(document.rows(1, 2)).toMatchObject([{ line: 1, time }]);
  });

  it('joins lines and characters that are spread over chunks', () => {
    const document = new LogDocument();
    document.open('s');
    const whole = bytes('grün\nzwei');
    for (const byte of whole) document.append('s', Uint8Array.of(byte));
    expect(texts(document.rows(1, 9))).toEqual(['grün']);
    document.end('s');
    expect(texts(document.rows(1, 9))).toEqual(['grün', 'zwei']);
  });

  it('folds sections', () => {
    const document = documentOf(['a', '1\n2\n'], ['b', '3\n']);
    document.fold('a', true);
    expect(texts(document.rows(0, 9))).toEqual(['== a 2', '== b 1', '3']);
    expect(document.search(/2/).matches).toEqual([{ row: 0, section: 'a', line: 2 }]);
  });

  it('wraps lines into rows of the same length', () => {
    const document = documentOf(['a', 'abcdefgh\n\u001b[31mab\u001b[0mcde\n\n']);
    document.wrap(3);
    expect(texts(document.rows(0, 9))).toEqual(['== a 3', 'abc', 'def', 'gh', 'abc', 'de', '']);
    expect(document.rows(4, 5)).toMatchObject([
      { line: 2, isContinued: false, spans: [{ text: 'ab', style: 'fg1' }, { text: 'c' }] },
    ]);
    expect(document.rowOfLine('a', 2)).toBe(4);
    document.append('a', bytes('xyz1\n'));
    expect(texts(document.rows(7, 9))).toEqual(['xyz', '1']);
  });

  it('searches text without escapes', () => {
    const document = documentOf(['a', 'x\n\u001b[1mer\u001b[0mror\n'], ['b', 'Error\n']);
    expect(document.search(/error/i)).toEqual({
      total: 2,
      matches: [
        { row: 2, section: 'a', line: 2 },
        { row: 4, section: 'b', line: 1 },
      ],
    });
  });

  it('gives everything as text', () => {
    expect([...documentOf(['a', `${time} 1\n`]).texts(true)].join('')).toBe(`== a\n${time} 1\n`);
  });
});
