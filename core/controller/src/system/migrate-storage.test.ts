import { startControlPlane } from '@tektite/testkit';
import { migrationCases } from './migrate-storage.cases.ts';

migrationCases('of the embedded control plane', () => startControlPlane());
