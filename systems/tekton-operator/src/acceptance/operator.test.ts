import { startControlPlane } from '@tektite/testkit';
import { operatorCases } from './operator.cases.ts';

operatorCases(() => startControlPlane());
