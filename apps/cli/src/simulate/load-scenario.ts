import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fileScenario, readScenario, type Scenario, type ScenarioFunctions } from '@tektite/simulator';
import { loadSystems } from '../catalog/load-systems.ts';
import { explainFileError, UserError } from '../user-error.ts';

/** The simulated program. Kept in failure files, so that a replay finds it again. */
export interface SimulatedProgram {
  /** As for `--systems`: built-in names, files, folders or packages. */
  readonly operator: string;
  readonly scenario: string;
  /** A module with functions for the scenario. */
  readonly functions?: string;
}

/** Loads the operator and its scenario. All modules are loaded now: a simulation has no time for that. */
export async function loadScenario({ operator, scenario, functions }: SimulatedProgram): Promise<Scenario> {
  const systems = await loadSystems(operator);
  const text = await readFile(scenario, 'utf8').catch((error: unknown) => {
    throw new UserError(`--scenario: ${explainFileError(error, scenario) ?? String(error)}`);
  });
  const file = readScenario(text);
  return fileScenario(file, () => systems, functions === undefined ? {} : await loadFunctions(functions));
}

async function loadFunctions(file: string): Promise<ScenarioFunctions> {
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as ScenarioFunctions;
  } catch (error) {
    throw new UserError(`--functions: ${file} cannot be loaded: ${(error as Error).message}`);
  }
}
