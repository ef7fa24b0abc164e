import { describe, expect, it } from 'vitest';
import { readResultsLog, ResultsLogError, ResultTooLarge, stepEntriesOf } from './results-log.ts';
import { entryTypes } from './termination-message.ts';

async function* chunks(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const line = (name: string, value: string, type = 'task') => `${JSON.stringify({ name, value, type })}\n`;

describe('the log of the results sidecar', () => {
  it.each([1, 7, 4096])('is read line by line, in pieces of %d bytes too', async (size) => {
    const text = line('a', 'ä\n') + line('step-s.b', 'two', 'step') + line('step-s', '{}', 'stepArtifact');
    expect(await readResultsLog(chunks(text, size), 1000)).toEqual([
      { key: 'a', value: 'ä\n', type: entryTypes.taskResult },
      { key: 'step-s.b', value: 'two', type: entryTypes.stepResult },
      { key: 'step-s', value: '{}', type: entryTypes.stepArtifacts },
    ]);
  });

  it('may be empty, and may lack its last line end', async () => {
    expect(await readResultsLog(chunks('', 1), 10)).toEqual([]);
    expect(await readResultsLog(chunks(line('a', 'b').trim(), 5), 100)).toHaveLength(1);
  });

  it('has lines up to the limit, and not one byte more', async () => {
    const text = line('a', 'x'.repeat(50));
    const size = text.length - 1;
    expect(await readResultsLog(chunks(text, 9), size)).toHaveLength(1);
    const failure = readResultsLog(chunks(text, 9), size - 1);
    await expect(failure).rejects.toThrow(ResultTooLarge);
    await expect(failure).rejects.toThrow(`${size} bytes results size exceeds configured limit of ${size - 1} bytes`);
  });

  it.each([
    'no json\n',
    '{"name":"a","value":"b","type":"other"}\n',
    'null\n',
    '{"name":1,"value":"b","type":"task"}\n',
  ])('is refused with %s', async (text) => {
    await expect(readResultsLog(chunks(text, 3), 100)).rejects.toThrow(ResultsLogError);
  });

  it('reports the results of steps by the names of their containers', async () => {
    const entries = await readResultsLog(
      chunks(line('step-a.r', '1', 'step') + line('step-ab.r', '2', 'step'), 99),
      100,
    );
    expect(stepEntriesOf(entries, 'step-a')).toEqual([{ key: 'r', value: '1', type: entryTypes.stepResult }]);
  });
});
