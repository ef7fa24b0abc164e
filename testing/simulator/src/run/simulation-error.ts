import { defineErrors } from '@tektite/meta';
import type { SimulationReport } from './simulation-report.ts';

export const simulationErrors = defineErrors('simulator', 'SimulationError', {
  SCENARIO_FAILED: {
    when: 'a scenario did not end as its check, its rules or a run without faults require',
    fix: 'run the seed that the message names alone, and read the faults and writes that it lists',
  },
  SCENARIO_INVALID: {
    when: 'a scenario file is not valid',
    fix: 'correct the field that the message names',
  },
});

/** A scenario that did not end well. The message has everything that is needed to see it again. */
export class SimulationError extends simulationErrors.Error {
  readonly report: SimulationReport;

  constructor(report: SimulationReport) {
    const { seed, writes, faults, crashes, failure } = report;
    super(
      'SCENARIO_FAILED',
      `seed ${seed}: ${failure?.message ?? ''}\n` +
        `  ${crashes} crashes, faults:\n${faults.map((fault) => `    ${fault}`).join('\n')}\n` +
        `  the last writes:\n${writes
          .slice(-20)
          .map((write) => `    ${write}`)
          .join('\n')}`,
      { cause: failure?.cause },
    );
    this.report = report;
  }
}
