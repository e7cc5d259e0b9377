import { type Config, readSearchPath } from '../config/config.ts'
import { DAEMON_ACTOR, writeAs } from '../domain/command/context.ts'
import { isHealthOutdated, recordAdapterHealth } from '../domain/documents/adapter.ts'
import { DocumentEngine } from '../documents/document-engine.ts'
import { DocumentStorage } from '../documents/document-storage.ts'
import type { RunnerDeps } from '../jobs/runner.ts'
import type { ProgramFacts } from '../knowledge/documents/adapter-health.ts'
import { isContentReferenced } from '../store/documents/documents.ts'
import { jobWorkers } from '../workers/worker-pool.ts'

/** The parts that store and read documents. */
export interface Documents {
  readonly storage: DocumentStorage
  readonly engine: DocumentEngine
  /** Looks for the programs again, and stores the health of the adapter if it has changed. */
  readonly refresh: () => Promise<ProgramFacts>
  /** Whether a document has this content. */
  readonly isReferenced: (sha256: string) => boolean
  recover(): Promise<void>
}

export function openDocuments({ home }: Config, deps: RunnerDeps): Documents {
  const { store, clock, newId, log } = deps
  const storage = new DocumentStorage(home)
  const engine = new DocumentEngine({
    home,
    searchPath: readSearchPath(),
    clock,
    storage,
    worker: {
      findTables: (input, signal) => jobWorkers.run('findDocumentTables', input, { signal }),
      findSensitive: (input, signal) => jobWorkers.run('findSensitiveTexts', input, { signal }),
    },
  })
  const record = async (facts: ProgramFacts): Promise<void> => {
    if (!store.read((reader) => isHealthOutdated(reader, facts))) return
    await writeAs(deps, { actor: DAEMON_ACTOR, correlation_id: newId() }, (ctx) => recordAdapterHealth(ctx, facts))
  }
  return {
    storage,
    engine,
    refresh: async () => {
      const facts = await engine.check()
      await record(facts)
      return facts
    },
    isReferenced: (sha256) => store.read((reader) => isContentReferenced(reader, sha256)),
    recover: async () => {
      await engine.recover()
      // A full disk must not keep the daemon from starting; the next refresh records it.
      await record(await engine.look()).catch((error: unknown) =>
        log.warn({ err: error }, 'the health of the document adapter was not recorded'),
      )
    },
  }
}
