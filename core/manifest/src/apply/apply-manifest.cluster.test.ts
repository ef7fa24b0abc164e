import { startRealControlPlane } from '@tektite/testkit';
import { applyCases } from './apply-manifest.cases.ts';

applyCases('on a real kube-apiserver', () => startRealControlPlane());
