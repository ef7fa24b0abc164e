import { bundleResolver } from './bundles/bundle-resolver.ts';
import { clusterResolver } from './cluster/cluster-resolver.ts';
import { gitResolver } from './git/git-resolver.ts';
import { httpResolver } from './http/http-resolver.ts';
import { hubResolver } from './hub/hub-resolver.ts';
import type { Resolver } from './resolver.ts';

/** The resolvers that Tekton brings. Others may answer requests with other labels. */
export const allResolvers: readonly Resolver[] = [
  bundleResolver,
  clusterResolver,
  gitResolver,
  httpResolver,
  hubResolver,
];
