import { describe, expect, test } from 'vitest';
import { shell, startTestNode } from './test-support.ts';

describe('a node on this machine', () => {
  test('runs a Pod to its end and gives its log', async () => {
    await using here = await startTestNode();
    await here.run('hello', { restartPolicy: 'Never', containers: [shell('echo hi')] });
    const pod = await here.done('hello');
    expect(pod.status?.phase).toBe('Succeeded');
    expect(await here.log('hello')).toBe('hi\n');
  });
});
