import { byohSystem } from '@tektite/byoh';
import type { System } from '@tektite/controller';

/** As upstream's manager reads it: certificates of hosts are then approved by people. */
const manualCsrApproval = process.env.MANUAL_CSR_APPROVAL === 'enable';

export const byoh: System = byohSystem({ manualCsrApproval });
export const byohManager: System = byohSystem({ manualCsrApproval, parts: 'manager' });
export const byohInstaller: System = byohSystem({ parts: 'installer' });
