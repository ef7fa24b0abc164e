import { podRuntimeCases } from '../runtime/pod-runtime.cases.ts';
import { startTestNode } from '../test-support.ts';

podRuntimeCases('processes of this machine', () => startTestNode());
