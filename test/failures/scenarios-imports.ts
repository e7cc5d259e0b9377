import { Buffer } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import { withDaemon, type Scenario } from './scenarios.ts'
import { registerAbility } from '../../src/domain/abilities/registry.ts'
import { buildBundle, buildSkillDocument, buildZip } from '../skill-import/zip-builder.ts'
import { runCommand, uploadAndScan, postUpload, importAndStage, upload } from '../skill-import/import-kit.ts'

const good = buildZip(buildBundle())

export const importScenarios = {
  SKILL_IMPORT_NOT_FOUND: withDaemon((daemon) => daemon.get(`/api/skills/import/${randomUUID()}`)),
  SKILL_IMPORT_UPLOAD_NOT_FOUND: withDaemon((daemon) =>
    daemon.delete(`/api/skills/import/uploads/tmpart_${randomUUID()}`),
  ),
  SKILL_IMPORT_UPLOAD_EXPIRED: withDaemon(async (daemon) => {
    const { import_record } = await uploadAndScan(daemon)
    daemon.clock.advance(24 * 3_600_000)
    return runCommand(daemon, 'stage', { import_id: import_record.import_id })
  }),
  SKILL_IMPORT_UPLOAD_IN_USE: withDaemon(async (daemon) => {
    const { temp_artifact } = await upload(daemon)
    await daemon.system.store.write((tx) => {
      tx.db.exec(`UPDATE skill_imports SET stage_state = 'staging'`)
    })
    return daemon.delete(`/api/skills/import/uploads/${temp_artifact.temp_artifact_ref}`)
  }),
  SKILL_IMPORT_FILE_TOO_LARGE: withDaemon((daemon) => postUpload(daemon, Buffer.alloc(100 * 1024 * 1024 + 1, 'PK'))),
  SKILL_IMPORT_UNSUPPORTED_MIME: withDaemon((daemon) => postUpload(daemon, good, { type: 'image/png' })),
  SKILL_IMPORT_UNSUPPORTED_EXTENSION: withDaemon((daemon) => postUpload(daemon, good, { filename: 'a.tar' })),
  SKILL_IMPORT_ARCHIVE_REQUIRED: withDaemon((daemon) => postUpload(daemon, Buffer.from('no zip'))),
  SKILL_IMPORT_INVALID_STATE: withDaemon(async (daemon) =>
    runCommand(daemon, 'stage', { import_id: (await upload(daemon)).import_id }),
  ),
  SKILL_IMPORT_NOT_COMPATIBLE: withDaemon(async (daemon) => {
    const { import_record } = await uploadAndScan(daemon, [{ name: 'SKILL.md', content: '# No header' }])
    return runCommand(daemon, 'stage', { import_id: import_record.import_id })
  }),
  SKILL_IMPORT_COLLISION: withDaemon(async (daemon) => {
    const { import_record } = await uploadAndScan(daemon, [
      { name: 'SKILL.md', content: buildSkillDocument('browser') },
    ])
    return runCommand(daemon, 'stage', { import_id: import_record.import_id })
  }),
  SKILL_IMPORT_ADAPTER_REQUIRED: withDaemon(async (daemon) => {
    const content = buildSkillDocument().replace('read, write', 'Teleport')
    const { import_id } = await importAndStage(daemon, [{ name: 'SKILL.md', content }])
    return runCommand(daemon, 'approve', { import_id })
  }),
  SKILL_IMPORT_PACK_UNKNOWN: withDaemon((daemon) =>
    postUpload(daemon, good, { metadata: { requested_pack_id: 'none' } }),
  ),
  SKILL_IMPORT_STAGE_FAILED: withDaemon(async (daemon) => {
    const { import_record } = await uploadAndScan(daemon)
    writeFileSync(join(daemon.home, 'skill-files'), 'in the way')
    return runCommand(daemon, 'stage', { import_id: import_record.import_id })
  }),
  SKILL_IMPORT_INSTALL_FAILED: withDaemon(async (daemon) => {
    const { import_id } = await importAndStage(daemon)
    mkdirSync(join(daemon.home, 'workspace', 'skills', 'tidy-notes'), { recursive: true })
    return runCommand(daemon, 'install-private', { import_id })
  }),
  ABILITY_NOT_PORTABLE: withDaemon(async (daemon) => {
    await daemon.system.store.write((tx) => {
      const now = daemon.clock.now.toISOString()
      const actor = { kind: 'system' as const, user_id: 'local' }
      registerAbility(
        { tx, now, actor, correlation_id: 'c', newId: randomUUID },
        {
          ability_id: 'native.browser',
          owner_user_id: 'local',
          title: 'Browser',
          family: 'native',
          source: 'native',
          install_lane: 'shared_promoted',
          current_version: 1,
        },
      )
    })
    return daemon.get('/api/abilities/native.browser/export')
  }),
} satisfies Partial<Record<FailureCode, Scenario>>
