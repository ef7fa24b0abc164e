import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { type ClientConfig, loadConfig } from '@tektite/client';
import { systemClock, systemRandom } from '@tektite/meta';
import { type RealControlPlane, startControlPlane, startRealControlPlane } from '@tektite/testkit';
import { readDefinitions } from './generate/read-definitions.ts';
import { topicOfKind, topics } from './generate/topics.ts';
import { judge } from './judge.ts';
import { describeFinding } from './report.ts';
import { type Bench, runSequence, type Sequence } from './run-sequence.ts';
import { endpointOf } from './servers/api-endpoint.ts';

const help = `Usage: npm run differential -- [options]

Sends generated sequences of operations to a reference server and to this repository's own, and prints the answers that differ.

  --reference FILE   kubeconfig of the reference; by default kube-apiserver and etcd of KUBEBUILDER_ASSETS or the PATH are started
  --seed N           first seed (default 1); each sequence has one
  --sequences N      how many sequences (default 200)
  --jobs N           sequences at a time (default 4)
  --topic NAME       ${Object.keys(topics).join(', ')}, or a built-in kind such as Deployment (default: all topics)
  --max-reports N    stop after so many differences (default 20)
  --output FILE      also write the differences as JSON
  --replay FILE      send the sequence of this file instead
`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h' },
    reference: { type: 'string' },
    seed: { type: 'string', default: '1' },
    sequences: { type: 'string', default: '200' },
    jobs: { type: 'string', default: '4' },
    topic: { type: 'string' },
    'max-reports': { type: 'string', default: '20' },
    output: { type: 'string' },
    replay: { type: 'string' },
  },
});

if (values.help === true) process.stdout.write(help);
else process.exitCode = await main();

async function main(): Promise<number> {
  await using plane = await startControlPlane({ serviceRange: '10.96.0.0/16' });
  await using real = values.reference === undefined ? await startRealControlPlane() : undefined;
  const subject = await endpointOf('subject', (await plane.https()).config);
  const reference = await endpointOf('reference', await referenceConfig(real));
  const bench = { reference, subject, clock: systemClock, random: systemRandom };
  try {
    return await (values.replay === undefined ? judgeSeeds(bench) : replay(values.replay, bench));
  } finally {
    reference.close();
    subject.close();
  }
}

async function referenceConfig(real: RealControlPlane | undefined): Promise<ClientConfig> {
  if (real !== undefined) return (await real.https()).config;
  return await loadConfig({ kubeconfig: values.reference as string });
}

async function replay(file: string, bench: Bench): Promise<number> {
  const sequence = JSON.parse(await readFile(file, 'utf8')) as Sequence;
  const found = await runSequence(sequence, bench);
  for (const difference of found) console.log(describeFinding({ seed: 0, sequence, difference }));
  return found.length === 0 ? 0 : 1;
}

async function judgeSeeds(bench: Bench): Promise<number> {
  const { topic, output } = values;
  const summary = await judge({
    bench,
    definitions: await readDefinitions(bench.reference),
    topics: topic === undefined ? Object.values(topics) : [topics[topic] ?? topicOfKind(topic)],
    firstSeed: Number(values.seed),
    sequences: Number(values.sequences),
    jobs: Number(values.jobs),
    maxFindings: Number(values['max-reports']),
    onFinding: (finding) => console.log(`${describeFinding(finding)}\n`),
  });
  const { operations, differing, findings } = summary;
  console.log(`${operations} operations, ${differing} answers differ, ${findings.length} findings`);
  if (output !== undefined) await writeFile(output, JSON.stringify(findings, undefined, 2));
  return findings.length === 0 ? 0 : 1;
}
