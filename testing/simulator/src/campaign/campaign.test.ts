import { kinds } from '@tektite/client';
import { expect, it } from 'vitest';
import type { Scenario } from '../run/scenario.ts';
import { exploreCrashes } from '../explore/explore-crashes.ts';
import { explainFailure } from '../shrink/explain-failure.ts';
import { runCampaign } from './campaign.ts';
import { failureFile, formatFailure, parseFailureFile } from './failure-file.ts';
import { formatJunit } from './junit.ts';

/** Creates an object with a generated name, and forgets it in a crash. */
const leaky: Scenario = {
  isFixed: true,
  start: async (client) => {
    const key = { namespace: 'default', name: 'noted' };
    if (await client.getOrUndefined(kinds.ConfigMap, key)) return;
    await client.create(kinds.ConfigMap, { metadata: { namespace: 'default', generateName: 'x-' } });
    await client.create(kinds.ConfigMap, { metadata: key });
  },
  act: async ({ sleep }) => sleep(60_000),
};

it('a campaign finds the leak, and its file tells and repeats it', async () => {
  const { failed, runs } = await runCampaign(leaky, {
    seeds: Array.from({ length: 200 }, (_, i) => i + 1),
    untilFails: true,
  });
  expect(runs).toBeLessThan(200);
  const [report] = failed;
  if (!report) throw new Error('nothing was found');
  const explained = await explainFailure(leaky, report);
  expect(explained.faults.length).toBeLessThanOrEqual(2);
  const file = parseFailureFile(JSON.stringify(failureFile(explained, { operator: 'leaky' })));
  expect(formatFailure(file)).toContain('breaks "final state": ConfigMap default/x-*: "2 objects"');
  expect(file.story.join('\n')).toContain('program creates ConfigMap default/x-');
  const junit = formatJunit('leaky', [{ name: 'a & b', seconds: 1, failure: { message: '<', text: file.message } }]);
  expect(junit).toContain('name="a &amp; b"');
  expect(junit).toContain('<failure message="&lt;">');
});

it('a crash at every write finds it without chance', async () => {
  const { runs, writes, failed } = await exploreCrashes(leaky, { seed: 1, component: 'program', pairs: true });
  expect(writes).toBe(2);
  expect(runs).toBeGreaterThan(5);
  expect(failed.map(({ crashes }) => crashes.map(({ write, when }) => `${when} ${write}`).join())).toContain('after 1');
});

it('a file that no simulation wrote is refused', () => {
  expect(() => parseFailureFile('{}')).toThrow('not one that a simulation');
  expect(() => parseFailureFile('x')).toThrow('not JSON');
});
