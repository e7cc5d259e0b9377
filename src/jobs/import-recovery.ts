import { DAEMON_ACTOR, writeAs } from '../domain/command/context.ts'
import { migrateLegacyImport } from '../domain/skill-import/legacy-imports.ts'
import { closeInterruptedUploads } from '../domain/skill-import/record/uploads.ts'
import type { BundlePort, LegacyImportPort } from './ports.ts'
import type { RunnerDeps } from './runner.ts'
import { sweepSkillFiles } from './skill-imports.ts'

interface ImportRecoveryPorts {
  readonly bundles: Pick<BundlePort, 'tidy' | 'sweepFiles'>
  readonly legacy: LegacyImportPort
}

/** Closes uploads that an earlier daemon did not finish, and migrates imports of older versions. */
export async function recoverImports(deps: RunnerDeps, { bundles, legacy }: ImportRecoveryPorts): Promise<void> {
  const correlation_id = `start:${deps.newId()}`
  try {
    const records = await legacy.read()
    await writeAs(deps, { actor: DAEMON_ACTOR, correlation_id }, (ctx) => {
      closeInterruptedUploads(ctx)
      for (const record of records) migrateLegacyImport(ctx, record)
    })
    if (records.length > 0) await legacy.putAway()
    await bundles.tidy()
    await sweepSkillFiles(deps.store, bundles)
  } catch (error) {
    deps.log.warn({ err: error }, 'could not recover interrupted imports')
  }
}
