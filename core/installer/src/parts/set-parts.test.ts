import { startControlPlane } from '@tektite/testkit';
import { partsCases } from './set-parts.cases.ts';

partsCases('on the embedded server', () => startControlPlane());
