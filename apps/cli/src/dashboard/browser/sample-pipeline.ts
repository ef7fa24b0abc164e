const step = (name: string, script: string) => ({ name, image: 'busybox', script });
const task = (name: string, script: string, more: object = {}) => ({
  name,
  taskSpec: { steps: [step('run', script)] },
  ...more,
});

/** A hostile text: markup, an escape, a mark of direction. */
export const hostileText = '<img src=x onerror=alert(1)>\u001b]0;x\u0007\u202e&lt;';

/** A pipeline with everything that the page draws: branches, a matrix, a skipped task, final tasks, colours. */
export const samplePipeline = {
  apiVersion: 'tekton.dev/v1',
  kind: 'Pipeline',
  metadata: { namespace: 'default', name: 'release' },
  spec: {
    description: 'Builds, tests and publishes.',
    params: [
      { name: 'revision', type: 'string', default: 'main', description: 'The commit, branch or tag' },
      { name: 'outcome', type: 'string', default: 'good', description: 'Whether the check succeeds' },
      { name: 'platforms', type: 'array', default: ['amd64', 'arm64'] },
    ],
    tasks: [
      task('clone', 'echo cloning $(params.revision)'),
      task('lint', 'for i in 1 2 3; do printf "\\033[32mok\\033[0m file-$i.ts\\n"; done', { runAfter: ['clone'] }),
      task(
        'test',
        `i=0; while [ $i -lt 300 ]; do i=$((i+1)); echo "case $i passed"; done; echo '<script>alert(1)</script>'`,
        {
          runAfter: ['clone'],
        },
      ),
      {
        name: 'image',
        runAfter: ['clone'],
        matrix: { params: [{ name: 'platform', value: '$(params.platforms[*])' }] },
        taskSpec: { params: [{ name: 'platform' }], steps: [step('build', 'echo building $(params.platform)')] },
      },
      task('scan', 'echo scanning', {
        runAfter: ['image'],
        when: [{ input: '$(params.outcome)', operator: 'in', values: ['never'] }],
      }),
      task('check', 'echo checking; test $(params.outcome) = good', { runAfter: ['lint', 'test', 'image'] }),
      task('publish', 'echo published', { runAfter: ['check'] }),
    ],
    finally: [task('notify', 'echo notified')],
  },
};

/** A run of it. */
export function sampleRun(name: string, outcome = 'good', more: object = {}) {
  return {
    apiVersion: 'tekton.dev/v1',
    kind: 'PipelineRun',
    metadata: { namespace: 'default', name, labels: { team: 'web' }, annotations: { note: hostileText } },
    spec: { pipelineRef: { name: 'release' }, params: [{ name: 'outcome', value: outcome }], ...more },
  };
}

/** A TaskRun that goes on until it is cancelled. */
export const endlessRun = {
  apiVersion: 'tekton.dev/v1',
  kind: 'TaskRun',
  metadata: { namespace: 'default', name: 'endless' },
  spec: { taskSpec: { steps: [step('wait', 'echo waiting; while true; do sleep 1; done')] } },
};

/** A TaskRun that fails twice. */
export const flakyRun = {
  apiVersion: 'tekton.dev/v1',
  kind: 'TaskRun',
  metadata: { namespace: 'default', name: 'flaky' },
  spec: { retries: 1, taskSpec: { steps: [step('run', 'echo trying; exit 3')] } },
};
