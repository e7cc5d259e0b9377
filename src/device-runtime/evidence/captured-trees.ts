import type { ContentFiles } from '../../files/content-files.ts'
import type { RunnerDeps } from '../../jobs/runner.ts'
import { type Hierarchy, parseHierarchyInTurns } from '../../screen/tree/hierarchy.ts'
import { type EvidenceRow, findEvidence, insertEvidence } from '../../store/capture/evidence.ts'

type TreeOwner = Pick<EvidenceRow, 'serial' | 'owner_user_id' | 'execution_id' | 'learn_session_id'>

/** Stores the trees of captured screens as evidence of their owner, and reads them again. */
export class CapturedTrees {
  readonly #deps: RunnerDeps
  readonly #files: ContentFiles

  constructor(deps: RunnerDeps, files: ContentFiles) {
    this.#deps = deps
    this.#files = files
  }

  /** Returns the id of the evidence. */
  async store(xml: string, owner: TreeOwner): Promise<string> {
    const bytes = Buffer.from(xml)
    const sha256 = await this.#files.write(bytes)
    const evidence_id = this.#deps.newId()
    await this.#deps.store.write((tx) =>
      insertEvidence(tx, {
        ...owner,
        evidence_id,
        media_type: 'application/xml',
        sha256,
        bytes: bytes.length,
        created_at: this.#deps.clock().toISOString(),
      }),
    )
    return evidence_id
  }

  /** Undefined if the tree was deleted or belongs to somebody else. */
  async read(ref: string | undefined, owner: string): Promise<Hierarchy | undefined> {
    const id = /^evidence:(.+)$/.exec(ref ?? '')?.[1]
    const row = id && this.#deps.store.read((reader) => findEvidence(reader, id) ?? null)
    if (!row || row.owner_user_id !== owner) return undefined
    const bytes = await this.#files.read(row.sha256)
    return bytes && parseTree(bytes.toString('utf8'))
  }
}

export async function parseTree(xml: string): Promise<Hierarchy | undefined> {
  const parsed = await parseHierarchyInTurns(xml)
  return parsed.ok ? parsed.hierarchy : undefined
}
