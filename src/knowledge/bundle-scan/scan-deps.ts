import type { ImportSource } from '@apprentice/contracts/skills/import-record.ts'

/** Existing names that a bundle is checked against. Read before the scan. */
export interface ScanDeps {
  readonly source: ImportSource
  readonly content_hash_sha256: string
  readonly skill_names: ReadonlySet<string>
  /** Names of skills that are bundled with the agent. */
  readonly native_names: ReadonlySet<string>
  /** Names of skills in the folder of the agent that this daemon did not install. */
  readonly agent_names: ReadonlySet<string>
  readonly capability_ids: ReadonlySet<string>
  readonly tool_names: ReadonlySet<string>
  /** Namespaces of other imports. */
  readonly namespaces: ReadonlySet<string>
  /** Trigger phrases of enabled abilities. */
  readonly triggers: readonly { readonly ability_id: string; readonly phrases: readonly string[] }[]
  /** True when the same bytes were imported before and not discarded. */
  readonly imported_before: boolean
  readonly packs: ReadonlySet<string>
  readonly connectors: ReadonlySet<string>
  readonly support_packs: ReadonlySet<string>
  readonly blocked_terms: readonly string[]
}
