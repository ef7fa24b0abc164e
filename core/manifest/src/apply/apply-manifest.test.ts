import { startControlPlane } from '@tektite/testkit';
import { applyCases } from './apply-manifest.cases.ts';

applyCases('on the embedded server', () => startControlPlane());
