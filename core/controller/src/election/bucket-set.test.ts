import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bucketNames } from './bucket-names.ts';
import { BucketSet } from './bucket-set.ts';

/** Tekton's own leases. What belongs where was computed with knative.dev/pkg itself. */
const naming = {
  component: 'tekton-pipelines-controller',
  queue: 'github.com.tektoncd.pipeline.pkg.reconciler.taskrun.Reconciler',
};
const ordinalOf = (name: string) => Number(name.slice(-8, -6));

describe('the names of buckets', () => {
  it('are those that Knative gives their leases', () => {
    expect(bucketNames({ ...naming, buckets: 10 })[3]).toBe(
      'tekton-pipelines-controller.github.com.tektoncd.pipeline.pkg.reconciler.taskrun.reconciler.03-of-10',
    );
  });

  it('can begin otherwise', () => {
    const prefixes = { 'c.Q': 'Short', '__proto__.x': 'y' };
    expect(bucketNames({ component: 'c', queue: 'Q', buckets: 1, prefixes })).toEqual(['short.00-of-01']);
    expect(
      bucketNames({ component: 'c', queue: 'constructor', buckets: 1, prefixes: { 'c.constructor': '' } }),
    ).toEqual(['c.constructor.00-of-01']);
  });
});

describe('the bucket of a key', () => {
  it.each([
    ['default/a', 0, 1, 0, 3],
    ['default/b', 1, 0, 1, 7],
    ['default/build-1', 0, 1, 1, 7],
    ['default/build-2', 0, 0, 2, 8],
    ['team-a/build-1', 0, 0, 2, 8],
    ['kube-system/x', 1, 2, 0, 7],
    ['ns/name.with.dots', 0, 2, 4, 2],
    ['tekton-pipelines/a-very-long-name-of-a-run-that-goes-on-and-on-and-on-until-63', 1, 0, 2, 5],
    ['ü/€😀', 1, 2, 3, 1],
    ['cluster-wide', 1, 0, 2, 7],
  ])('%s is the one that Knative finds, of 2, 3, 5 and 10', (key, ...expected) => {
    const found = [2, 3, 5, 10].map((buckets) => new BucketSet(bucketNames({ ...naming, buckets })).bucketOf(key));
    expect(found.map(ordinalOf)).toEqual(expected);
  });

  it.each([
    [2, 'dec08f4a462d238f'],
    [3, 'e407ac5fc2d894e6'],
    [5, '46179ae54edc4036'],
    [10, 'b1a45e1856aa3edb'],
  ])('is the same as with Knative for 20,000 keys and %i buckets, collisions and all', (buckets, digest) => {
    const set = new BucketSet(bucketNames({ ...naming, buckets }));
    const found = createHash('sha256');
    const sizes = new Map<string, number>();
    for (let i = 0; i < 20_000; i++) {
      const bucket = set.bucketOf(`ns-${i % 97}/run-${i}`);
      found.update(bucket.slice(-8, -6));
      sizes.set(bucket, (sizes.get(bucket) ?? 0) + 1);
    }
    expect(found.digest('hex').slice(0, 16)).toBe(digest);
    // And they spread evenly.
    for (const size of sizes.values()) expect(Math.abs(size - 20_000 / buckets)).toBeLessThan(2_000 / buckets);
  });

  it('is the only one when there is one', () => {
    expect(new BucketSet(['all']).bucketOf('default/a')).toBe('all');
  });
});
