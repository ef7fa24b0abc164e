import { startRealControlPlane } from '@tektite/testkit';
import { planCases } from './plan-manifest.cases.ts';

planCases('on a real kube-apiserver', () => startRealControlPlane());
