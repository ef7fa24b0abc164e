import { podRuntimeCases } from '../runtime/pod-runtime.cases.ts';
import { startTestNode } from '../test-support.ts';
import { SimulatedRuntime } from './simulated-runtime.ts';

podRuntimeCases('the simulated runtime', () =>
  startTestNode({ makeRuntime: (_, { clock }) => new SimulatedRuntime({ clock }) }),
);
