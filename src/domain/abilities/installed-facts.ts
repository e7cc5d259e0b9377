import type { Reader } from '../../store/db/db.ts'

/** What the installation says of an ability: where its files are, whether it can be routed to, how it fares. */
export interface InstalledFacts {
  /** The canonical SKILL.md is there with the hash on record. */
  readonly materialized: boolean
  /** So is the copy in the workspace. */
  readonly projected: boolean
  /** The bridge has an entry for it that may be routed to. */
  readonly bridged: boolean
  readonly health_status: 'healthy' | 'degraded' | 'quarantined' | 'disabled' | 'unknown'
  /** What an installation that is not whole still lacks. The first two keep the ability from being used. */
  readonly partial_state?:
    | 'install_failed'
    | 'bridge_pending'
    | 'availability_pending'
    | 'catalog_pending'
    | 'receipt_pending'
    | undefined
  /** It was made for another runtime. */
  readonly requires_adapter?: true | undefined
  /** A connector it needs that is not well. */
  readonly unhealthy_connector?: string | undefined
}

export type ReadInstalledFacts = (reader: Reader, abilityId: string) => InstalledFacts

/** What comes with the agent's runtime is installed by nobody here. */
export const native: InstalledFacts = {
  materialized: true,
  projected: true,
  bridged: true,
  health_status: 'unknown',
}
