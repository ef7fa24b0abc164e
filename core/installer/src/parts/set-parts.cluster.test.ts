import { startRealControlPlane } from '@tektite/testkit';
import { partsCases } from './set-parts.cases.ts';

partsCases('on a real kube-apiserver', () => startRealControlPlane());
