import { migrateLegacyImport } from '../domain/skill-import/legacy.ts'
import { closeLeftUploads } from '../domain/skill-import/left-uploads.ts'
import type { RunnerDeps } from './runner.ts'

interface ImportRecoveryDeps {
  readonly bundles: { tidy(): Promise<void> }
  readonly legacy: { read(): Promise<readonly unknown[]>; putAway(): Promise<void> }
}

/** Closes what an earlier daemon left of uploads, and takes over what an older program left of imports. */
export async function recoverImports(
  { store, clock, newId, log }: RunnerDeps,
  { bundles, legacy }: ImportRecoveryDeps,
): Promise<void> {
  const correlation_id = `start:${newId()}`
  const actor = { kind: 'system' as const, user_id: 'system' }
  const now = clock().toISOString()
  try {
    const records = await legacy.read()
    await store.write((tx) => {
      const ctx = { tx, now, actor, correlation_id, newId }
      closeLeftUploads(ctx)
      for (const record of records) migrateLegacyImport(ctx, record)
    })
    if (records.length > 0) await legacy.putAway()
    await bundles.tidy()
  } catch (error) {
    log.warn({ err: error }, 'what was left of imports could not be taken up')
  }
}
