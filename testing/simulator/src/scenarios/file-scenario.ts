import type { System } from '@tektite/controller';
import type { Rule } from '../oracles/rule.ts';
import type { Scenario } from '../run/scenario.ts';
import type { World } from '../world/world.ts';
import type { ScenarioFile } from './scenario-file.ts';
import { performSteps } from './scenario-step.ts';
import { systemScenario } from './system-scenario.ts';

/** Functions that a module adds to a scenario file. */
export interface ScenarioFunctions {
  /** Acts of users after the steps of the file. */
  readonly act?: (world: World) => Promise<void>;
  readonly check?: (world: World) => Promise<void>;
  readonly rules?: readonly Rule[];
}

/** The scenario of a file, for these systems. */
export function fileScenario(
  file: ScenarioFile,
  systems: () => readonly System[],
  { act, check, rules = [] }: ScenarioFunctions = {},
): Scenario {
  const { name, replicas, nodes = 1, steps, interference, rates, ignore, rules: stated } = file;
  return systemScenario({
    systems,
    ...(name === undefined ? {} : { name }),
    ...(replicas === undefined ? {} : { replicas }),
    builtIn: { nodes: Array.from({ length: nodes }, (_, index) => `node-${index + 1}`) },
    rates,
    interference,
    // A function may act differently for each seed.
    isFixed: act === undefined,
    ignore: (kind, path) => ignore.some((field) => `${kind} ${path}`.startsWith(field)),
    async act(world) {
      await performSteps(world, steps);
      await act?.(world);
    },
    ...(check ? { check } : {}),
    rules: [...stated, ...rules],
  });
}
