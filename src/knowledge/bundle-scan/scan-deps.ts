import type { ImportSource } from '@apprentice/contracts/skills/import-record.ts'

/** What a bundle would be installed beside. Read before a scan begins. */
export interface ScanDeps {
  readonly source: ImportSource
  readonly content_hash_sha256: string
  /** Names of installed skills, and of those that come with the agent. */
  readonly skill_names: ReadonlySet<string>
  readonly native_names: ReadonlySet<string>
  readonly capability_ids: ReadonlySet<string>
  readonly tool_names: ReadonlySet<string>
  /** Namespaces given to other imports. */
  readonly namespaces: ReadonlySet<string>
  /** What triggers the abilities that are switched on. */
  readonly triggers: readonly { readonly ability_id: string; readonly phrases: readonly string[] }[]
  /** The same bytes were imported before, and not thrown away. */
  readonly imported_before: boolean
  readonly packs: ReadonlySet<string>
  readonly connectors: ReadonlySet<string>
  readonly support_packs: ReadonlySet<string>
  readonly blocked_terms: readonly string[]
}
