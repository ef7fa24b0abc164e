import { compareWith, writeFigures } from './figures.ts';

/**
 * `npm run bench -- apiserver|byoh|chains|connectors|controller|crowd|dashboard|endurance|images|manifest|node|pipelineruns|results|simulate|soak|taskruns|tekton-operator|triggers [--quick]`: figures, each beside a reference
 * measured in the same run. `--json FILE` keeps them, `--compare FILE` shows what changed since that run.
 */
const [suite = '', ...flags] = process.argv.slice(2);
const fileOf = (flag: string) => (flags.includes(flag) ? flags[flags.indexOf(flag) + 1] : undefined);
const compared = fileOf('--compare');
const kept = fileOf('--json');
if (compared) compareWith(compared);
if (kept) process.once('exit', () => writeFigures(kept));
const quick = flags.includes('--quick');
const minutes = flags.indexOf('--minutes');
const seconds = minutes < 0 ? (quick ? 20 : 3600) : Number(flags[minutes + 1]) * 60;

switch (suite) {
  case 'apiserver': {
    const { benchApiServer } = await import('./apiserver/index.ts');
    await benchApiServer({ quick });
    break;
  }
  case 'byoh': {
    const { benchByoh } = await import('./byoh/index.ts');
    await benchByoh({ quick });
    break;
  }
  case 'chains': {
    const { benchChains } = await import('./chains/index.ts');
    await benchChains({ quick });
    break;
  }
  case 'connectors': {
    const { benchConnectors } = await import('./connectors/index.ts');
    await benchConnectors({ quick });
    break;
  }
  case 'controller': {
    const { benchController } = await import('./controller/index.ts');
    await benchController({ quick });
    break;
  }
  case 'crowd': {
    const { benchCrowd } = await import('./load/crowd.ts');
    await benchCrowd({ quick, ...(minutes < 0 ? {} : { seconds }) });
    break;
  }
  case 'dashboard': {
    const { benchDashboard } = await import('./dashboard/index.ts');
    await benchDashboard({ quick });
    break;
  }
  case 'endurance': {
    const { benchEndurance } = await import('./load/endurance.ts');
    await benchEndurance(seconds);
    break;
  }
  case 'images': {
    const { benchImages } = await import('./images/index.ts');
    await benchImages({ quick });
    break;
  }
  case 'manifest': {
    const { benchManifest } = await import('./manifest/index.ts');
    await benchManifest({ quick });
    break;
  }
  case 'node': {
    const { benchNode } = await import('./node/index.ts');
    await benchNode({ quick });
    break;
  }
  case 'pipelineruns': {
    const { benchPipelineRuns } = await import('./pipelineruns/index.ts');
    await benchPipelineRuns({ quick });
    break;
  }
  case 'simulate': {
    const { benchSimulate } = await import('./simulate/index.ts');
    await benchSimulate({ quick });
    break;
  }
  case 'soak': {
    const { benchSoak } = await import('./soak/index.ts');
    await benchSoak({ quick });
    break;
  }
  case 'taskruns': {
    const { benchTaskRuns } = await import('./taskruns/index.ts');
    await benchTaskRuns({ quick });
    break;
  }
  case 'tekton-operator': {
    const { benchTektonOperator } = await import('./tekton-operator/index.ts');
    await benchTektonOperator();
    break;
  }
  case 'results': {
    const { benchResults } = await import('./results/index.ts');
    await benchResults({ quick });
    break;
  }
  case 'triggers': {
    const { benchTriggers } = await import('./triggers/index.ts');
    await benchTriggers({ quick });
    break;
  }
  default:
    console.error(
      'usage: npm run bench -- apiserver|byoh|chains|connectors|controller|crowd|dashboard|endurance|images|manifest|node|pipelineruns|results|simulate|soak|taskruns|tekton-operator|triggers [--quick] [--json FILE] [--compare FILE]',
    );
    process.exitCode = 2;
}
