/** The settings that a statement depends on. */
export interface StatementOptions {
  readonly builderId: string;
  readonly buildType: string;
  readonly deepInspection: boolean;
}
