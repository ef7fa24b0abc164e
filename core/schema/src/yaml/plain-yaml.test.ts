import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFirstYaml, parseYaml } from './parse-yaml.ts';
import { readPlainDocument } from './plain-yaml.ts';

/** The result of the fast reader for a document, when it accepts it. */
function read(text: string): { value: unknown } | undefined {
  const lines = text.split('\n');
  return readPlainDocument(lines, 0, lines.length);
}

const plain = [
  'a: 1\nb: yes\nc: null\nd: 0777\ne: 1.5\nf: text # comment\n# comment\ng: http://x/#y',
  'a:\n- 1\n- b: 2\n  c: 3\n-\n  - 4\n- - 5\n  - 6\nd:\n  - e',
  "a: |\n  one\n   two\n\n  three\n\nb: |-\n  x\nc: \"q\\n\\u00e9\"\nd: 'it''s'\ne: {}\nf: []\ng: [\"a\", b, 'c', 1]",
  'a:\n  description: some words\n    that go on\n    and on\n  b: x',
  'm: {a: 1, b: "x y", c.d/e: yes}\na:\nb:\n  c:\n"x y": 1\n\'k\': v',
];
const odd = [
  'a: &x 1\nb: *x',
  'a: {b: {c: d}}',
  'a: {b}',
  'a: >\n  folded',
  'a: |+\n  x\n',
  'a: 1\na: 2',
  '? a\n: b',
  'a: !!str 1',
  'yes: 1',
  '1: 2',
  '__proto__: {}',
  'a: b: c',
  'a:\n\tb: 1',
  'a: "x\n  y"',
  'a: 99999999999999999999',
  'a: .inf',
  'a: [[1]]',
  '<<: {a: 1}',
  'a: 1\n  b: 2',
  'just text',
  'a: "x" y',
  '- a\nb: c',
  'a: |2\n  x',
  'a: - b',
  'a: ? b',
  'a: x\n\n  y',
];

describe('the quick reader', () => {
  it.each(plain)('reads %j as the parser does', (text) => {
    expect(read(text)).toMatchObject({ value: parseFirstYaml(text)?.value });
    expect(read(text)?.value).toEqual(parseFirstYaml(text)?.value);
  });

  it.each(odd)('leaves %j to the parser', (text) => {
    expect(read(text)).toBeUndefined();
  });

  it('never reads anything differently from the parser', () => {
    const pieces = [
      'a',
      'b',
      ': ',
      ':',
      '- ',
      '-',
      ' ',
      '  ',
      '\n',
      '\n  ',
      '\n- ',
      '"',
      "'",
      '#',
      ' #',
      '|',
      '|-',
      '>',
      '[',
      ']',
      '{}',
      '{',
      '}',
      ',',
      '1',
      '0x1',
      'yes',
      '~',
      '&x',
      '*x',
      '!',
      '\n    ',
      'a: ',
      'b:\n',
    ];
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (each) => {
        const found = read(each);
        if (found) expect(found.value, JSON.stringify(each)).toEqual(parseFirstYaml(each)?.value);
      }),
      { numRuns: 20_000 },
    );
  });

  it('gives the same documents, lines and positions for a large text', () => {
    const part = `# comment\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata: {a: [b]}\n`;
    const easy = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: y\n`;
    const text = `# top\n---\n${Array(200).fill(`${part}---\n${easy}`).join('---\n')}---\n`;
    const documents = parseYaml(text);
    expect(documents).toHaveLength(401);
    expect(documents[0]?.line).toBe(4);
    expect(documents[1]?.line).toBe(10);
    expect(documents[1]?.positionOf(['metadata', 'name'])).toEqual({ line: 13, column: 3 });
    expect(documents[2]?.positionOf(['data', 'a'])).toEqual({ line: 20, column: 8 });
    expect(documents[400]?.value).toBeNull();
  });

  const shared = new URL('../../../../../shared/data/', import.meta.url).pathname;
  it.skipIf(!existsSync(shared))(
    'agrees with the parser on all files of ../shared (skipped where that is absent)',
    () => {
      let documents = 0;
      let quick = 0;
      for (const name of readdirSync(shared, { recursive: true, encoding: 'utf8' })) {
        if (!/\.ya?ml$/.test(name)) continue;
        const text = readFileSync(join(shared, name), 'utf8');
        for (const part of text.split(/^---[ ]*$/m)) {
          documents++;
          const found = read(part);
          if (!found) continue;
          quick++;
          expect(found.value, name).toEqual(parseFirstYaml(part)?.value);
        }
      }
      expect(quick / documents).toBeGreaterThan(0.5);
    },
    120_000,
  );
});
