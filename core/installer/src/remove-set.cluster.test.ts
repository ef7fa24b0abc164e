import { startRealControlPlane } from '@tektite/testkit';
import { removalCases } from './remove-set.cases.ts';

removalCases('on a real kube-apiserver', () => startRealControlPlane());
