/** Whole control planes in virtual time: faults, oracles, exploration, replay by seed. */

// A run
export type { Scenario } from './run/scenario.ts';
export { baselineOf, simulate, tryScenario } from './run/simulate.ts';
export { type Baseline, runScenario, type RunOptions } from './run/run-scenario.ts';
export { SimulationError, simulationErrors } from './run/simulation-error.ts';
export type { Failure, SimulationReport } from './run/simulation-report.ts';

// The world of a scenario
export type { World } from './world/world.ts';
export type {
  Component,
  ComponentOptions,
  CrashPoint,
  ProcessContext,
  StartProcess,
} from './world/component.ts';
export type { Interference } from './world/interference.ts';
export { type PodScript, standardScript } from './world/decide-pod.ts';
export { addBuiltInControllers, type BuiltInOptions } from './world/built-in-controllers.ts';
export { startSimulatedNode } from './world/simulated-node.ts';

// Faults
export { describeFault, type Fault, type FaultKind, type Rates, standardRates } from './faults/fault.ts';

// The history of a run
export type { ChangeEntry, History, HistoryEntry, NoteEntry, WriteEntry } from './history/history.ts';

// Oracles
export type { Rule, Violation } from './oracles/rule.ts';
export {
  finishedStays,
  foreignObjectsUntouched,
  neverMoreThan,
  neverTwice,
  noOrphans,
  violationOf,
} from './oracles/object-rules.ts';
export type { FinalState } from './oracles/final-state.ts';
export type { Ignore, Mask } from './oracles/compare-states.ts';

// A failure: the faults that matter, and its story
export { explainFailure, type Explained } from './shrink/explain-failure.ts';
export { type Shrunk, shrinkFaults, type ShrinkOptions, type StillFails } from './shrink/shrink-faults.ts';
export { storyOf, tellStory, type StoryOptions } from './story/tell-story.ts';

// Scenarios
export { systemScenario, type SystemScenarioOptions } from './scenarios/system-scenario.ts';
export { readScenario, type ScenarioFile } from './scenarios/scenario-file.ts';
export { fileScenario, type ScenarioFunctions } from './scenarios/file-scenario.ts';
export { performSteps, type ScenarioStep } from './scenarios/scenario-step.ts';

// Many runs
export { type CampaignOptions, type CampaignProgress, type CampaignResult, runCampaign } from './campaign/campaign.ts';
export { Coverage } from './campaign/coverage.ts';
export { failureFile, type FailureFile, formatFailure, parseFailureFile } from './campaign/failure-file.ts';
export { formatJunit, type JunitCase } from './campaign/junit.ts';
export { type CrashExploration, exploreCrashes, type Explored } from './explore/explore-crashes.ts';
