import { describe, expect, test } from 'vitest';
import { warningHeaders } from './warning-headers.ts';

describe('warnings', () => {
  test('are quoted, each once, in order', () => {
    expect(warningHeaders(['b "q" \\', 'a', 'b "q" \\', ''])).toEqual(['299 - "b \\"q\\" \\\\"', '299 - "a"']);
  });

  test('that could break out of the header are not sent', () => {
    expect(warningHeaders(['a\r\nset-cookie: x', 'fine', 'bell\u0007', 'half \ud800'])).toEqual(['299 - "fine"']);
  });

  test('are all cut short when they are too long together', () => {
    const long = 'é'.repeat(4000);
    expect(warningHeaders([long])).toEqual([`299 - "${long}"`]);
    expect(warningHeaders([long, 'x'.repeat(200)])).toEqual([
      `299 - "${'é'.repeat(256)}"`,
      `299 - "${'x'.repeat(200)}"`,
    ]);
  });

  test('stop when there are too many', () => {
    const texts = Array.from({ length: 40 }, (_, index) => `${index}`.padEnd(300, 'x'));
    expect(warningHeaders(texts)).toHaveLength(16);
  });
});
