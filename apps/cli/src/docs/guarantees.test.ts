import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../test-support.ts';

const page = readFileSync(join(repository, 'docs/guarantees.md'), 'utf8');
const rows = [...page.matchAll(/^\| (?<promise>[A-Z].*?) \| \[[^\]]+\]\((?<file>[^)]+)\) "(?<title>[^"]+)" \|$/gm)];

describe('the page of guarantees', () => {
  it('has a test in every row of its tables', () => {
    const lines = page.split('\n').filter((line) => line.startsWith('| ') && line !== '| Promise | Test |');
    expect(lines.length).toBeGreaterThan(15);
    expect(rows).toHaveLength(lines.length);
  });

  it.each(rows.map(({ groups }) => [groups?.['title'] ?? '', groups?.['file'] ?? '']))(
    'names a test that is there: %s',
    (title, file) => {
      const path = join(repository, 'docs', file);
      expect(existsSync(path)).toBe(true);
      expect(readFileSync(path, 'utf8')).toContain(title);
    },
  );
});
