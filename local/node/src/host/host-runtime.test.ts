import { canHaveNetwork } from '../network/test-support.ts';
import { podRuntimeCases } from '../runtime/pod-runtime.cases.ts';
import { startTestNode } from '../test-support.ts';

podRuntimeCases('processes of this machine', () => startTestNode());
if (await canHaveNetwork())
  podRuntimeCases('processes of this machine, with a network', () => startTestNode({ hasNetwork: true }));
