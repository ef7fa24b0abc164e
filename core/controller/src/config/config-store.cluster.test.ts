import { startRealControlPlane } from '@tektite/testkit';
import { configStoreCases } from './config-store.cases.ts';

configStoreCases('on a real kube-apiserver', () => startRealControlPlane());
