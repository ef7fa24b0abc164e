const short: Readonly<Record<string, string>> = {
  'When Expressions evaluated to false': 'when is false',
  'Parent Tasks were skipped': 'parent skipped',
  'Results were missing': 'results missing',
  'PipelineRun was stopping': 'run stopped',
  'PipelineRun was gracefully cancelled': 'run cancelled',
  'PipelineRun was gracefully stopped': 'run stopped',
  'PipelineRun Tasks timeout has been reached': 'tasks timeout',
  'PipelineRun Finally timeout has been reached': 'finally timeout',
  'PipelineRun timeout has been reached': 'run timeout',
  'Matrix Parameters have an empty array': 'empty matrix',
};

/** Why a task was skipped, short enough for a graph. */
export function skipText(reason: string | undefined): string {
  return reason ? (short[reason] ?? reason) : 'skipped';
}
