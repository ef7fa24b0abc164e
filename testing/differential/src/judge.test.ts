import { systemClock, systemRandom } from '@tektite/meta';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiEndpoint, endpointOf, type Finding, judge, readDefinitions, topics } from './index.ts';

/** A topic of which a sequence takes milliseconds: no watch and no definition is waited for. */
const quickTopics = [topics['access']].filter((topic) => topic !== undefined);

describe('the judge', () => {
  let planes: ControlPlane[];
  let reference: ApiEndpoint;
  let subject: ApiEndpoint;

  beforeAll(async () => {
    planes = await Promise.all([1, 2].map((seed) => startControlPlane({ seed })));
    [reference, subject] = (await Promise.all(
      planes.map(async (plane, index) => endpointOf(`server ${index}`, (await plane.https()).config)),
    )) as [ApiEndpoint, ApiEndpoint];
  });

  afterAll(async () => {
    reference.close();
    subject.close();
    for (const plane of planes) await plane.close();
  });

  async function findings(other: ApiEndpoint, sequences: number, maxFindings = 5): Promise<readonly Finding[]> {
    const summary = await judge({
      bench: { reference, subject: other, clock: systemClock, random: systemRandom },
      definitions: await readDefinitions(reference),
      topics: quickTopics,
      firstSeed: 1,
      sequences,
      jobs: 4,
      maxFindings,
      onFinding: () => {},
    });
    expect(summary.operations).toBeGreaterThan(sequences * 3);
    return summary.findings;
  }

  it('finds nothing between two servers of one kind, whatever uids, names, times and versions they give', async () => {
    expect(await findings(subject, 60)).toEqual([]);
  });

  it('finds a server that answers one request differently, with the fewest operations that show it', async () => {
    const wrong: ApiEndpoint = {
      ...subject,
      async send(request) {
        const answer = await subject.send(request);
        const isReview = request.path.endsWith('/selfsubjectrulesreviews');
        return isReview && answer.code === 201 ? { ...answer, code: 200 } : answer;
      },
    };
    const [finding] = await findings(wrong, 60, 1);
    expect(finding?.sequence.operations).toHaveLength(1);
    expect(finding?.sequence.operations[0]).toMatchObject({
      method: 'POST',
      path: expect.stringMatching(/rulesreviews$/),
    });
    expect(finding?.difference.differences).toEqual([{ at: '/code', reference: 201, subject: 200 }]);
  });

  it('finds a write that the other server lost, by the reads after it', async () => {
    const forgetful: ApiEndpoint = {
      ...subject,
      send: (request) =>
        subject.send(
          request.method === 'POST' && request.path.endsWith('/configmaps')
            ? { ...request, path: `${request.path}?dryRun=All` }
            : request,
        ),
    };
    const [finding] = await findings(forgetful, 400, 1);
    expect(finding?.sequence.operations.length).toBeGreaterThan(1);
    expect(finding?.difference.operation.path).toContain('/configmaps');
  });
});
