import { startRealControlPlane } from '@tektite/testkit';
import { migrationCases } from './migrate-storage.cases.ts';

migrationCases('of a real kube-apiserver', () => startRealControlPlane());
