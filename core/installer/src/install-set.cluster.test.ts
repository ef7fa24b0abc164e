import { startRealControlPlane } from '@tektite/testkit';
import { installCases } from './install-set.cases.ts';

installCases('on a real kube-apiserver', () => startRealControlPlane());
