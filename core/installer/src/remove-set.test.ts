import { startControlPlane } from '@tektite/testkit';
import { removalCases } from './remove-set.cases.ts';

removalCases('on the embedded server', () => startControlPlane());
