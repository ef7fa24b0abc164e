import { version } from '../version.ts';
import type { OperatorNames } from './operator-names.ts';

/** The files around the source: how it is built, tested and run. */
export function operatorProject(names: OperatorNames): ReadonlyMap<string, string> {
  return new Map([
    ['package.json', packageJson(names)],
    ['tsconfig.json', tsconfigJson],
    ['vitest.config.js', vitestConfig],
    ['.gitignore', 'node_modules/\ndist/\n'],
    ['README.md', readme(names)],
  ]);
}

function packageJson({ project, kind }: OperatorNames): string {
  const manifest = {
    name: project,
    version: '0.1.0',
    description: `An operator for ${kind} objects`,
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    scripts: {
      build: 'tsc',
      test: 'vitest run',
      dev: 'npm run build && tektite up --in-memory --systems .',
      manifests: 'tektite crds --systems . > deploy/crds.yaml && tektite rbac --systems . > deploy/rbac.yaml',
      'check:manifests':
        'tektite crds --systems . --check deploy/crds.yaml && tektite rbac --systems . --check deploy/rbac.yaml',
    },
    dependencies: {
      '@tektite/client': version,
      '@tektite/controller': version,
      '@tektite/meta': version,
      '@tektite/schema': version,
    },
    devDependencies: {
      '@tektite/simulator': version,
      '@tektite/testkit': version,
      '@types/node': '^20.19.0',
      tektite: version,
      typescript: '^7.0.0',
      vitest: '^4.1.0',
    },
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

const tsconfigJson = `{
  "compilerOptions": {
    "target": "es2023",
    "lib": ["es2023", "esnext.disposable"],
    "module": "nodenext",
    "strict": true,
    "noUncheckedIndexedAccess": true,
    "verbatimModuleSyntax": true,
    "erasableSyntaxOnly": true,
    "rewriteRelativeImportExtensions": true,
    "skipLibCheck": true,
    "declaration": true,
    "sourceMap": true,
    "types": ["node"],
    "rootDir": "src",
    "outDir": "dist"
  },
  "include": ["src"]
}
`;

const vitestConfig = `/** Only sources, not what is built of them; and patience with slow machines. */
export default { test: { include: ['src/**/*.test.ts'], expect: { poll: { timeout: 10_000 } } } };
`;

function readme({ project, group, version: kindVersion, kind, file, resource }: OperatorNames): string {
  return `# ${project}

An operator for \`${kind}\` objects (\`${group}/${kindVersion}\`), made with Tektite. As it is now, it keeps a ConfigMap with the
message of each \`${kind}\`; put what yours does in its place.

| File | What it says |
|---|---|
| \`src/${file}.ts\` | the kind: its fields, their defaults and limits. The type and the CRD come from it |
| \`src/decide.ts\` | what should be, given what is: plain functions, no I/O |
| \`src/controller.ts\` | what to watch, and the few calls that make it so |
| \`src/index.ts\` | the system: all of it together |
| \`src/operator.test.ts\` | tests of both halves, the second on a control plane inside the test |

\`\`\`console
$ npm test
$ npm run dev
\`\`\`

The second builds it and runs it on a control plane of this machine, no cluster needed; it prints the kubeconfig to use:

\`\`\`console
$ kubectl apply -f - <<END
apiVersion: ${group}/${kindVersion}
kind: ${kind}
metadata: { name: first }
spec: { message: hello }
END
$ kubectl get ${resource} first
$ kubectl get configmap first -o yaml
$ npx tektite explain ${resource} first
\`\`\`

On a cluster: \`npm run manifests\` writes the CRD and the roles into \`deploy/\`, \`npm run check:manifests\` fails when they are
out of date, and \`npx tektite controller --systems .\` is the process to run.
`;
}
